internal import Ledger

/// Where the catalog comes from: a file, or what was published into the ledger.
enum CatalogOptions {
    static let file = OptionSpec.value("catalog", "FILE", kind: .file, "The catalog's file.")
    static let published = OptionSpec.flag(
        "published", "Take the catalog that was published into the ledger.")
}

extension Invocation {
    /// The catalog that comes with the call; nil without.
    func catalog() throws(Failure) -> Catalog? {
        if let host { return host.catalog }
        return try value("catalog").map { (path) throws(Failure) in try catalog(at: path) }
    }

    /// Reads and decodes a catalog.
    func catalog(at path: String) throws(Failure) -> Catalog {
        let bytes = try InputFile.read(path, bytesMax: JSONReader.bytesMax, console)
        return try lifted { () throws(LedgerError) in
            try Catalog(json: bytes, file: path == "-" ? "standard input" : path)
        }
    }
}

/// What a catalog says about the resources and primers that events name.
struct CatalogFacts {
    /// A resource, as far as events repeat it.
    struct Resource {
        let scope: Scope
        let revision: Revision
        let unit: Bytes32
        let validity: Period?
    }

    private(set) var resources: [String: Resource] = [:]
    private var primers: [String: [String: Bytes32]] = [:]

    /// The facts of `--catalog FILE`, or of what was published with `--published`; nothing without.
    init(_ call: Invocation, _ ledger: Ledger) throws(Failure) {
        if call.flag("published") {
            guard call.value("catalog") == nil else {
                throw call.usage("--catalog and --published exclude each other")
            }
            try self.init(publishedIn: ledger)
        } else if let catalog = try call.catalog() {
            self.init(catalog)
        } else {
            self.init()
        }
    }

    init() {}

    init(_ catalog: Catalog) {
        for resource in catalog.resources {
            guard let unit = catalog.unit(forResource: resource.id) else { continue }
            resources[resource.id] = Resource(
                scope: resource.scope, revision: resource.revision, unit: unit.digest,
                validity: resource.validity)
        }
        for primer in catalog.primers {
            for unit in catalog.units(forPrimer: primer.id) {
                guard let language = unit.language else { continue }
                primers[primer.id, default: [:]][language] = unit.digest
            }
        }
    }

    /// The newest published unit of each resource and primer.
    init(publishedIn ledger: Ledger) throws(Failure) {
        self.init()
        for unit in try PublishedUnits.all(in: ledger) {
            try lifted { () throws(LedgerError) in try take(unit.kind, unit.content) }
        }
    }

    private mutating func take(
        _ kind: CatalogUnitKind?, _ content: [UInt8]
    ) throws(LedgerError) {
        // What another version published and this one cannot read fills in nothing.
        guard let value = try? CatalogUnit.json(content), let id = value["id"]?.text else { return }
        let digest = try CatalogUnit.digest(of: content)
        switch kind {
        case .resource?:
            guard let scope = value["scope"]?.text.flatMap({ Scope($0) }),
                let revision = value["revision"]?.text.flatMap({ Revision($0) })
            else { return }
            resources[id] = Resource(
                scope: scope, revision: revision, unit: digest,
                validity: value["validity"]?.text.flatMap { Period($0) })
        case .primer?:
            guard let language = value["language"]?.text else { return }
            primers[id, default: [:]][language] = digest
        default: return
        }
    }

    /// Fills in what the catalog knows and the draft leaves out.
    func fill(_ draft: inout Draft) {
        guard let name = draft.payload.resource, let resource = resources[name] else { return }
        draft.payload.scope = draft.payload.scope ?? resource.scope
        guard draft.kind != .settingsChanged else { return }
        draft.validity = resource.validity
        draft.payload.revision = draft.payload.revision ?? resource.revision
        guard draft.payload.unit == nil else { return }
        let answersPrimer = draft.payload.outcome?.answersPrimer ?? false
        if draft.kind == .primerShown || answersPrimer {
            let units = draft.payload.primer.flatMap { primers[$0] }
            draft.payload.unit = draft.payload.locale.flatMap { units?[$0] }
        } else {
            draft.payload.unit = resource.unit
        }
    }
}
