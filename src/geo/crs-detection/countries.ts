import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { plainText } from '../../core/text/fold-text.ts'

/** West, south, east, north in degrees; east is above 180 across the antimeridian. */
export type CountryBox = [west: number, south: number, east: number, north: number]

/** A country in coarse outlines: within some five kilometres. */
export interface Country {
  name: string
  names: string[]
  /** Rings of its parts without their holes: x, y of each point in degrees. */
  rings: { points: Float64Array; box: CountryBox }[]
}

let all: Country[] | undefined

/** Every country. */
function countries(): Country[] {
  if (all !== undefined) return all
  const packed = readFileSync(new URL('../data/countries.bin', import.meta.url))
  const lines = brotliDecompressSync(packed).toString('utf8').split('\n')
  all = lines.map((line) => {
    const [names, rings] = JSON.parse(line) as [string[], number[][]]
    return { name: names[0] ?? '', names, rings: rings.map(unpack) }
  })
  return all
}

/** Points come as steps of hundredths of a degree. */
function unpack(steps: number[]): Country['rings'][number] {
  const points = new Float64Array(steps.length)
  const box: CountryBox = [Infinity, Infinity, -Infinity, -Infinity]
  let x = 0
  let y = 0
  for (let at = 0; at < steps.length; at += 2) {
    x += steps[at] ?? 0
    y += steps[at + 1] ?? 0
    points[at] = x / 100
    points[at + 1] = y / 100
    box[0] = Math.min(box[0], x / 100)
    box[1] = Math.min(box[1], y / 100)
    box[2] = Math.max(box[2], x / 100)
    box[3] = Math.max(box[3], y / 100)
  }
  return { points, box }
}

let byName: Map<string, Country> | undefined

/** Languages whose names for countries the outlines do not come with. */
const moreLanguages = 'bg ca cs da et fi hr lt lv ms nb ro sk sl sr th'.split(' ')

/** A country by its name in one of many languages, or by its code of ISO 3166-1. */
export function findCountry(name: string): Country | undefined {
  byName ??= namedCountries()
  return byName.get(plainText(name))
}

function namedCountries(): Map<string, Country> {
  const found = new Map<string, Country>()
  const add = (name: string, country: Country): void => {
    if (!found.has(plainText(name))) found.set(plainText(name), country)
  }
  for (const country of countries()) for (const name of country.names) add(name, country)
  for (const language of moreLanguages) {
    const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const country of countries()) {
      const code = country.names.find((name) => /^[A-Z]{2}$/.test(name))
      const name = code === undefined ? undefined : regions.of(code)
      if (name !== undefined) add(name, country)
    }
  }
  return found
}

/** The country that a place lies in; undefined at sea. */
export function countryAt(longitude: number, latitude: number): Country | undefined {
  const x = ((((longitude + 180) % 360) + 360) % 360) - 180
  return countries().find(({ rings }) => rings.some((ring) => isInside(ring, x, latitude)))
}

/** True if a position is in a country. */
export function isInCountry({ rings }: Country, longitude: number, latitude: number): boolean {
  const x = ((((longitude + 180) % 360) + 360) % 360) - 180
  return rings.some((ring) => isInside(ring, x, latitude))
}

/** By the number of edges that a ray to the east crosses. */
function isInside({ points, box }: Country['rings'][number], x: number, y: number): boolean {
  if (x < box[0] || x > box[2] || y < box[1] || y > box[3]) return false
  let inside = false
  let px = points.at(-2) ?? 0
  let py = points.at(-1) ?? 0
  for (let at = 0; at < points.length; at += 2) {
    const qx = points[at] ?? 0
    const qy = points[at + 1] ?? 0
    if (qy > y !== py > y && x < ((px - qx) * (y - qy)) / (py - qy) + qx) inside = !inside
    px = qx
    py = qy
  }
  return inside
}
