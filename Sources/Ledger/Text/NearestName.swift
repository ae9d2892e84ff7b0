/// Finds what a mistyped name was meant to be.
package enum NearestName {
    /// The known name that is fewest edits away; nil when none is near enough to be meant.
    package static func find(_ name: String, among known: some Sequence<String>) -> String? {
        let wanted = scalars(name)
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        let limit = max(1, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = distance(wanted, scalars(candidate))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// A sentence's end for an error: `; did you mean “purpose”?`, or nothing.
    package static func hint(_ name: String, among known: some Sequence<String>) -> String {
        find(name, among: known).map { "; did you mean “\($0)”" } ?? ""
    }

    /// How many insertions, deletions, replacements and swaps of neighbours lie between two texts
    /// (optimal string alignment), upper and lower case being the same.
    package static func distance(_ left: String, _ right: String) -> Int {
        distance(scalars(left), scalars(right))
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] {
        Array(text.lowercased().unicodeScalars)
    }

    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
