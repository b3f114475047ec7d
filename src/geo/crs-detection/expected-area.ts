import { plainText } from '../../core/text/fold-text.ts'
import { allRows, findArea } from '../crs-table.ts'
import type { Country, CountryBox } from './countries.ts'
import { findCountry } from './countries.ts'

/** Area where data are expected. */
export interface ExpectedArea {
  /** Readable name, such as `Germany` or `layer topp:roads`. */
  label: string
  /** It lies within one of these. */
  boxes: CountryBox[]
  /** A country whose outlines are known. */
  country?: Country
}

/** The place of that name: a country in one of many languages or by its code, or an area that CRSs are made for. */
export function findExpectedArea(name: string): ExpectedArea | undefined {
  const country = findCountry(name)
  if (country !== undefined) {
    return { label: country.name, boxes: country.rings.map(({ box }) => box), country }
  }
  const area = areasByName().get(plainText(name))
  return area === undefined ? undefined : { label: area.label, boxes: area.boxes }
}

let areas: Map<string, Omit<ExpectedArea, 'country'>> | undefined

/** Areas of use by each part of their names: `United States (USA) - Texas` is found as `Texas` too. */
function areasByName(): Map<string, Omit<ExpectedArea, 'country'>> {
  if (areas !== undefined) return areas
  const found = new Map<string, Omit<ExpectedArea, 'country'>>()
  for (const number of new Set(allRows().map(({ area }) => area))) {
    const area = findArea(number)
    if (area === undefined) continue
    const [west, south, east, north] = area.bounds
    const box: CountryBox = [west, south, east < west ? east + 360 : east, north]
    const [name = ''] = area.name.split(/[;.]/)
    const parts = name.split(' - ')
    const titles = [
      name,
      parts.slice(0, 2).join(' - '),
      parts[1] ?? '',
      ...(parts.length === 1 ? [] : [parts[0] ?? '']),
    ]
    for (const title of new Set(titles)) {
      const key = plainText(title.replace(/\(.*?\)/g, ''))
      const known = found.get(key)
      if (known === undefined) found.set(key, { label: title, boxes: [box] })
      else known.boxes.push(box)
    }
  }
  found.delete('')
  areas = found
  return found
}

let regions: CountryBox[] | undefined

/** Returns the boxes of states, provinces and other parts of countries, as far as CRSs are made for them. */
export function regionBoxes(): readonly CountryBox[] {
  regions ??= [...new Set(allRows().map(({ area }) => area))].flatMap((number) => {
    const area = findArea(number)
    if (area === undefined || !isRegion(area.name)) return []
    const [west, south, east, north] = area.bounds
    return [[west, south, east < west ? east + 360 : east, north] satisfies CountryBox]
  })
  return regions
}

/** `USA - Wisconsin`, not `Brazil - 36°W to 30°W` or what follows no border. */
function isRegion(name: string): boolean {
  return name.split(' - ').length === 2 && !/°|offshore|onshore|zone|SPCS| of | and |;/.test(name)
}
