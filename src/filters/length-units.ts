const mile = 1609.344

/** Metres per unit, by the names and codes in filters. */
const metres = new Map<string, number>([
  ...['m', 'meter', 'meters', 'metre', 'metres', '9001'].map((name) => [name, 1] as const),
  ...['km', 'kilometer', 'kilometers', 'kilometre', 'kilometres', '9036'].map(
    (name) => [name, 1000] as const,
  ),
  ...['ft', 'foot', 'feet', '9002'].map((name) => [name, 0.3048] as const),
  ...['yd', 'yard', 'yards', '9096'].map((name) => [name, 0.9144] as const),
  ...['mi', 'mile', 'miles', 'statute mile', 'statute miles', '9093'].map((name) => [name, mile] as const),
  ...['nmi', 'nautical mile', 'nautical miles', '9030'].map((name) => [name, 1852] as const),
])
const degrees = new Set(['deg', 'degree', 'degrees', '9102', '9122'])

/**
 * Returns the length of a unit: by its English name, its symbol, or a URI that ends in one of these or in its
 * EPSG code; undefined for others.
 */
export function lengthUnit(text: string): { metres: number } | 'degree' | undefined {
  const name =
    text
      .trim()
      .toLowerCase()
      .split(/[#/:]/)
      .at(-1)
      ?.replace(/[\s_]+/g, ' ') ?? ''
  if (degrees.has(name)) return 'degree'
  const found = metres.get(name)
  return found === undefined ? undefined : { metres: found }
}
