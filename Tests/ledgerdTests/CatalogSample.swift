/// A small catalog for tests.
enum CatalogSample {
    static let json = """
        {
          "platform": "ios",
          "language": "en",
          "resources": [
            {
              "id": "camera", "scope": "device", "revision": "1",
              "purpose": {"en": "Scans receipts so that you need not type them."},
              "alternative": {"kind": "manual", "title": {"en": "Type it in"}}
            },
            {
              "id": "mail", "scope": "person", "revision": "1.2",
              "purpose": {"en": "Sends you news of your shops once a month."}
            }
          ],
          "primers": [
            {
              "id": "why-camera", "resources": ["camera"],
              "texts": {
                "en": {
                  "title": "Scan receipts", "message": "Next, the system asks for the camera.",
                  "continueTitle": "Continue", "skipTitle": null
                }
              }
            }
          ],
          "features": [{"id": "scan-receipt", "needs": [{"resource": "camera"}]}]
        }
        """
}
