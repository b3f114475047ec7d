interface MediaRange {
  type: string
  quality: number
  /** Specificity: 0 for any type, 1 for any subtype, 2 for one type. */
  precision: number
}

function parseRange(text: string): MediaRange[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return []
  const given = parameters.find((one) => one.startsWith('q='))?.slice(2)
  const quality = given === undefined ? 1 : Number(given)
  if (!(quality >= 0 && quality <= 1)) return []
  return [{ type, quality, precision: type === '*/*' ? 0 : type.endsWith('/*') ? 1 : 2 }]
}

function matches(range: string, type: string): boolean {
  return range === '*/*' || range === type || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}

/** Returns the most specific range that matches a media type. */
function findRange(ranges: readonly MediaRange[], type: string): MediaRange | undefined {
  return ranges
    .filter((range) => matches(range.type, type))
    .reduce<MediaRange | undefined>(
      (best, one) => (best === undefined || one.precision > best.precision ? one : best),
      undefined,
    )
}

function isBetter(one: MediaRange, than: MediaRange | undefined): boolean {
  if (than === undefined || one.quality !== than.quality) return one.quality > (than?.quality ?? 0)
  return one.precision > than.precision
}

/**
 * Chooses among several offers, each with its media types, by a client's `Accept` header (RFC 9110, section
 * 12.5.1): the highest quality, then the most specific range, then the first offer. Returns the first if the
 * header is absent or empty; undefined if none is acceptable. Parameters of types other than `q` are ignored.
 */
export function chooseMediaType(
  offers: readonly (readonly string[])[],
  accept: string | undefined,
): number | undefined {
  const ranges = (accept ?? '').slice(0, 8192).split(',').flatMap(parseRange)
  if (ranges.length === 0) return 0
  let best: MediaRange | undefined
  let chosen: number | undefined
  for (const [at, types] of offers.entries()) {
    for (const type of types) {
      const range = findRange(ranges, type.split(';', 1).join().trim())
      if (range === undefined || !isBetter(range, best)) continue
      best = range
      chosen = at
    }
  }
  return chosen
}
