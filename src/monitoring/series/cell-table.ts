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
    let slot = (Math.imul(label, 0x9e3779b1) ^ Math.imul(group, 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (this.#counts[slot] !== 0) {
      if (this.#labels[slot] === label && this.#groups[slot] === group) {
        this.#counts[slot] = (this.#counts[slot] ?? 0) + count
        return
      }
      slot = (slot + 1) & mask
    }
    this.#groups[slot] = group
    this.#labels[slot] = label
    this.#counts[slot] = count
    this.#size += 1
    if (this.#size * 2 > this.#capacity) this.#grow()
  }

  /** Returns the cells sorted by group. */
  sorted(groupCount: number): SortedCells {
    const starts = new Int32Array(groupCount + 1)
    const slots = new Int32Array(this.#size)
    let found = 0
    for (let slot = 0; slot < this.#capacity; slot += 1) {
      if (this.#counts[slot] === 0) continue
      slots[found] = slot
      found += 1
      const group = (this.#groups[slot] ?? 0) + 1
      starts[group] = (starts[group] ?? 0) + 1
    }
    for (let group = 0; group < groupCount; group += 1)
      starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0)
    const next = starts.slice()
    const labels = new Int32Array(this.#size)
    const counts = new Int32Array(this.#size)
    for (const slot of slots) {
      const group = this.#groups[slot] ?? 0
      const at = next[group] ?? 0
      next[group] = at + 1
      labels[at] = this.#labels[slot] ?? 0
      counts[at] = this.#counts[slot] ?? 0
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
    for (let slot = 0; slot < counts.length; slot += 1) {
      const count = counts[slot] ?? 0
      if (count !== 0) this.add(groups[slot] ?? 0, labels[slot] ?? 0, count)
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
