/** Counts pairs of small integers. Grows as needed and can be reused. */
export class CellTable {
  #capacity = 256
  #groups = new Int32Array(this.#capacity)
  #labels = new Int32Array(this.#capacity)
  /** Count of each slot; 0 for a free slot. */
  #counts = new Int32Array(this.#capacity)
  #size = 0

  get size(): number {
    return this.#size
  }

  add(group: number, label: number, count: number): void {
    const mask = this.#capacity - 1
    let place = (Math.imul(label, 0x9e3779b1) ^ Math.imul(group, 0x85ebca6b)) >>> 0
    place = (place ^ (place >>> 15)) & mask
    while (this.#counts[place] !== 0) {
      if (this.#labels[place] === label && this.#groups[place] === group) {
        this.#counts[place] = (this.#counts[place] ?? 0) + count
        return
      }
      place = (place + 1) & mask
    }
    this.#groups[place] = group
    this.#labels[place] = label
    this.#counts[place] = count
    this.#size += 1
    if (this.#size * 2 > this.#capacity) this.#grow()
  }

  /** Returns the cells sorted by group. */
  sorted(groupCount: number): SortedCells {
    const starts = new Int32Array(groupCount + 1)
    const places = new Int32Array(this.#size)
    let found = 0
    for (let place = 0; place < this.#capacity; place += 1) {
      if (this.#counts[place] === 0) continue
      places[found] = place
      found += 1
      const group = (this.#groups[place] ?? 0) + 1
      starts[group] = (starts[group] ?? 0) + 1
    }
    for (let group = 0; group < groupCount; group += 1)
      starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0)
    const next = starts.slice()
    const labels = new Int32Array(this.#size)
    const counts = new Int32Array(this.#size)
    for (const place of places) {
      const group = this.#groups[place] ?? 0
      const at = next[group] ?? 0
      next[group] = at + 1
      labels[at] = this.#labels[place] ?? 0
      counts[at] = this.#counts[place] ?? 0
    }
    return { starts, labels, counts }
  }

  clear(): void {
    this.#size = 0
    if (this.#capacity > 65_536) this.#allocate(256)
    else this.#counts.fill(0)
  }

  #grow(): void {
    const [groups, labels, counts] = [this.#groups, this.#labels, this.#counts]
    this.#allocate(this.#capacity * 2)
    this.#size = 0
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place] ?? 0
      if (count !== 0) this.add(groups[place] ?? 0, labels[place] ?? 0, count)
    }
  }

  #allocate(capacity: number): void {
    this.#capacity = capacity
    this.#groups = new Int32Array(capacity)
    this.#labels = new Int32Array(capacity)
    this.#counts = new Int32Array(capacity)
  }
}

/** Cells sorted by group: those of group `g` are in `[starts[g], starts[g + 1])`. */
export interface SortedCells {
  starts: Int32Array
  labels: Int32Array
  counts: Int32Array
}
