extension Catalog {
    /// Reads a catalog file.
    ///
    /// - Parameters:
    ///   - json: its bytes.
    ///   - file: its name, for errors.
    /// - Throws: `malformed` with file, line and key; unknown and doubled keys are errors, and the
    ///   nearest known name is offered. `limit` when it is too large.
    public init(json: [UInt8], file: String) throws(LedgerError) {
        let value = try JSONReader.parse(json, file: file)
        let root = try CatalogField(value: value, file: file, path: "", line: 1, column: 1)
            .object(["platform", "language", "resources", "primers", "features"])
        let platform = try root.required("platform").word(
            Platform.allCases.map { ($0.rawValue, $0) })
        let language = try root.required("language")
        let tag = try language.text()
        guard LanguageTag.isWellFormed(tag) else {
            throw language.malformed("a BCP 47 language tag such as “en” expected")
        }
        let resources = try root.list("resources", CatalogDecoder.resource)
        let decoder = CatalogDecoder(
            language: tag, resources: resources, resourceIDs: resources.map(\.id))
        let primers = try root.list("primers", decoder.primer)
        let features = try root.list("features", decoder.feature)
        try CatalogDecoder.refuseDoubled(resources.map(\.id), root["resources"])
        try CatalogDecoder.refuseDoubled(primers.map(\.id), root["primers"])
        try CatalogDecoder.refuseDoubled(features.map(\.id), root["features"])
        try self.init(
            platform: platform, language: tag, resources: resources, primers: primers,
            features: features)
    }
}

/// Turns fields into the parts of a catalog.
struct CatalogDecoder {
    let language: String
    let resources: [Catalog.Resource]
    let resourceIDs: [String]

    static func resource(_ field: CatalogField) throws(LedgerError) -> Catalog.Resource {
        let object = try field.object([
            "id", "scope", "revision", "kind", "purpose", "variants", "validity", "alternative",
        ])
        let id = try object.required("id").identifier()
        let kind = try object.optional("kind") { (field) throws(LedgerError) in
            try field.identifier()
        }
        let purpose = try object.optional("purpose") { (field) throws(LedgerError) in
            try field.localized()
        }
        let validity = try object.optional("validity") { (field) throws(LedgerError) in
            try field.period()
        }
        return Catalog.Resource(
            id: id,
            scope: try object.required("scope").word(Scope.allCases.map { ($0.description, $0) }),
            revision: try revision(object.required("revision")),
            kind: kind ?? id,
            purpose: purpose ?? LocalizedText(entries: []),
            variants: try object.list("variants") { (field) throws(LedgerError) in
                try field.extent()
            },
            validity: validity,
            alternative: try object.optional("alternative", alternative))
    }

    private static func revision(_ field: CatalogField) throws(LedgerError) -> Revision {
        // A number would lose the difference between 1.1 and 1.10.
        guard let revision = field.value.text.flatMap({ Revision($0) }) else {
            throw field.malformed("a revision in quotes expected, such as “1.2”")
        }
        return revision
    }

    private static func alternative(
        _ field: CatalogField
    ) throws(LedgerError) -> Catalog.Alternative {
        let object = try field.object(["kind", "title"])
        let title = try object.required("title").localized()
        guard !title.entries.isEmpty else {
            throw try object.required("title").malformed("the words are missing; add a language")
        }
        return Catalog.Alternative(
            kind: try object.required("kind").word(
                Catalog.Alternative.Kind.allCases.map { ($0.rawValue, $0) }),
            title: title)
    }

    func primer(_ field: CatalogField) throws(LedgerError) -> Catalog.Primer {
        let object = try field.object([
            "id", "resources", "systemImage", "tint", "askAgainAfter", "texts",
        ])
        var texts: [Catalog.PrimerText] = []
        for (language, field) in try object.required("texts").byLanguage() {
            texts.append(try Self.primerText(field, language: language))
        }
        guard !texts.isEmpty else {
            throw try object.required("texts").malformed("the words are missing; add a language")
        }
        let askAgainAfter = try object.optional("askAgainAfter") {
            (field) throws(LedgerError) -> Period? in
            field.value.isNull ? nil : try field.period()
        }
        _ = try object.required("resources")
        return Catalog.Primer(
            id: try object.required("id").identifier(),
            resources: try object.list("resources", knownResource),
            systemImage: try object.optional("systemImage", Self.text),
            tint: try object.optional("tint", Self.tint),
            askAgainAfter: askAgainAfter ?? nil,
            texts: texts)
    }

    private static func primerText(
        _ field: CatalogField, language: String
    ) throws(LedgerError) -> Catalog.PrimerText {
        let object = try field.object([
            "title", "message", "benefits", "continueTitle", "skipTitle",
        ])
        let skip = try object.optional("skipTitle") { (field) throws(LedgerError) -> String? in
            field.value.isNull ? nil : try field.text()
        }
        return Catalog.PrimerText(
            language: language,
            title: try object.required("title").text(),
            message: try object.required("message").text(),
            benefits: try object.list("benefits", benefit),
            continueTitle: try object.optional("continueTitle", text) ?? "Continue",
            skipTitle: skip ?? (object["skipTitle"] == nil ? "Not Now" : nil))
    }

    private static func benefit(_ field: CatalogField) throws(LedgerError) -> Catalog.Benefit {
        let object = try field.object(["systemImage", "title", "text"])
        return Catalog.Benefit(
            systemImage: try object.optional("systemImage", text),
            title: try object.required("title").text(),
            text: try object.optional("text", text))
    }

    func feature(_ field: CatalogField) throws(LedgerError) -> Catalog.Feature {
        let object = try field.object(["id", "needs", "asks", "alternative"])
        let asks = try object.optional("asks") { (field) throws(LedgerError) in
            try field.word(Catalog.Feature.Moment.allCases.map { ($0.rawValue, $0) })
        }
        _ = try object.required("needs")
        return Catalog.Feature(
            id: try object.required("id").identifier(),
            needs: try object.list("needs", need),
            asks: asks ?? .use,
            alternative: try object.optional("alternative", Self.alternative))
    }

    private func need(_ field: CatalogField) throws(LedgerError) -> Catalog.Need {
        let object = try field.object(["resource", "extent", "asksFor", "because"])
        let id = try knownResource(object.required("resource"))
        let extent = try object.optional("extent", Self.extent) ?? .full
        let asksFor = try object.optional("asksFor", Self.extent)
        let variants = resources.first { $0.id == id }?.variants ?? []
        if let asksFor, !variants.isEmpty, !variants.contains(asksFor) {
            let known = variants.map { "“\($0)”" }.joined(separator: ", ")
            throw try object.required("asksFor").malformed(
                "the resource has no such variant; its variants are \(known)")
        }
        return Catalog.Need(
            resource: id, extent: extent, asksFor: asksFor ?? extent,
            because: try object.optional("because", Self.text))
    }

    private func knownResource(_ field: CatalogField) throws(LedgerError) -> String {
        let id = try field.identifier()
        guard resourceIDs.contains(id) else {
            let hint = NearestName.hint(id, among: resourceIDs)
            throw field.malformed("no resource has this id\(hint)")
        }
        return id
    }

    private static func text(_ field: CatalogField) throws(LedgerError) -> String {
        try field.text()
    }

    private static func extent(_ field: CatalogField) throws(LedgerError) -> Extent {
        try field.extent()
    }

    private static func tint(_ field: CatalogField) throws(LedgerError) -> String {
        let text = try field.text()
        guard text.utf8.count == 7, text.first == "#", text.dropFirst().allSatisfy(\.isHexDigit)
        else { throw field.malformed("a colour such as “#0A84FF” expected") }
        return text
    }

    static func refuseDoubled(_ ids: [String], _ list: CatalogField?) throws(LedgerError) {
        var seen: Set<String> = []
        for (index, id) in ids.enumerated() where !seen.insert(id).inserted {
            guard let fields = try list?.list(), index < fields.count else { continue }
            throw fields[index].malformed("another one before has the same id")
        }
    }
}
