extension Array where Element: Comparable {
    /// The place of the first element that is not less.
    func lowerBound(_ element: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(sorted element: Element) -> Bool {
        let index = lowerBound(element)
        return index < count && self[index] == element
    }

    mutating func insertSorted(_ element: Element) {
        let index = lowerBound(element)
        if index == count || self[index] != element { insert(element, at: index) }
    }

    /// Whether it was there.
    mutating func remove(_ element: Element) -> Bool {
        let index = lowerBound(element)
        guard index < count, self[index] == element else { return false }
        remove(at: index)
        return true
    }
}
