/** Z and M of a geometry's positions, for positions that a repair keeps or inserts. */
export class ExtraOrdinates {
  readonly #count: number
  readonly #known = new Map<string, number[]>()
  /** Segments as x, y and extra ordinates of both ends. */
  readonly #segments: { a: number[]; b: number[] }[] = []

  /** `count`: ordinates besides x and y, 0 to 2. */
  constructor(count: number) {
    this.#count = count
  }

  /** Takes a ring of `points` positions at `offset` of little-endian WKB. */
  addRing(view: DataView, offset: number, points: number): void {
    if (this.#count === 0) return
    const stride = (2 + this.#count) * 8
    let before: number[] | undefined
    for (let point = 0; point < points; point += 1) {
      const at = offset + point * stride
      const position = Array.from({ length: 2 + this.#count }, (_, ordinate) =>
        view.getFloat64(at + ordinate * 8, true),
      )
      const key = `${position[0]},${position[1]}`
      if (!this.#known.has(key)) this.#known.set(key, position.slice(2))
      if (before !== undefined) this.#segments.push({ a: before, b: position })
      before = position
    }
  }

  /** Z and M at a position: its own, or those of the nearest segment at that place. */
  at(x: number, y: number): number[] {
    if (this.#count === 0) return []
    return this.#known.get(`${x},${y}`) ?? this.#between(x, y)
  }

  #between(x: number, y: number): number[] {
    let best = Number.POSITIVE_INFINITY
    let found: number[] = new Array(this.#count).fill(0)
    for (const { a, b } of this.#segments) {
      const [ax = 0, ay = 0] = a
      const [bx = 0, by = 0] = b
      const length = (bx - ax) ** 2 + (by - ay) ** 2
      const share = length === 0 ? 0 : ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
      const place = Math.min(1, Math.max(0, share))
      const distance = (ax + place * (bx - ax) - x) ** 2 + (ay + place * (by - ay) - y) ** 2
      if (distance >= best) continue
      best = distance
      found = a.slice(2).map((value, index) => value + place * ((b[index + 2] ?? value) - value))
    }
    return found
  }
}
