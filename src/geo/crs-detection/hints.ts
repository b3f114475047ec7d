import { ownValue } from '../../core/values/record-keys.ts'
import type { ColumnView } from '../coordinate-columns.ts'
import { proposeColumns } from '../coordinate-columns.ts'
import { shapeOfRow } from '../crs-match.ts'
import { parseSrs } from '../crs-srs.ts'
import type { CrsRow } from '../crs-table.ts'
import { boxesOfCity } from './cities.ts'
import type { CountryBox } from './countries.ts'
import { findExpectedArea } from './expected-area.ts'
import { isPointInBox } from './grid-points.ts'

/** Further evidence: names of the data, and their columns with an example value each. */
export interface CrsClues {
  /** Names of the layer and its file. */
  names: readonly string[]
  columns: readonly ColumnView[]
}

/** Something in the names or values of data that speaks for some systems. */
export interface Hint {
  /** Logarithm of the likelihood that it adds. */
  weight: number
  /** As evidence, in words. */
  text: string
  /** Location of the data by this hint, in degrees. */
  boxes?: readonly CountryBox[]
  /** True if it names a CRS by its code. */
  isCode?: boolean
  fits(row: CrsRow, points: readonly [number, number][]): boolean
}

const codeWeight = 6
const zoneWeight = 4
const coordinateWeight = 8
const placeWeight = 4
const cityWeight = 3
const abbreviationWeight = 2
const methodWeight = 2.5
const datumWeight = 3.5
const maxColumns = 200
/** Places that are larger say little. */
const largestDegrees = 40

/** Returns what speaks for some systems in the names and values of data. None of them proves anything. */
export function findHints({ names, columns }: CrsClues): Hint[] {
  const some = columns.slice(0, maxColumns)
  return [
    ...names.flatMap(codesIn),
    ...names.flatMap(zonesIn),
    ...names.flatMap(systemsIn),
    ...names.flatMap(nameHints),
    ...some.flatMap(valueHints),
    ...coordinateHints(some),
  ]
}

function shown(text: string): string {
  return text.slice(0, 60)
}

/** `roads_25833`, `epsg2154`; numbers like 2014 are years unless `epsg` stands before them. */
function codesIn(name: string): Hint[] {
  return [...name.matchAll(/(epsg[\s_:-]*)?(?<!\d)(\d{4,6})(?!\d)/gi)]
    .filter(([, prefix, code = '']) => prefix !== undefined || !/^(?:19|20)\d\d$/.test(code))
    .map(([, , code = '']) => ({
      weight: codeWeight,
      text: `Named "${shown(name)}"`,
      isCode: true,
      fits: ({ srs }) => srs === `EPSG:${code}` || srs === `ESRI:${code}`,
    }))
}

/** `vautm17n`, `UTM_Zone_33S`. */
function zonesIn(name: string): Hint[] {
  const found = /utm[\s_-]*(?:zone)?[\s_-]*(\d{1,2})(?!\d)[\s_-]?([ns](?![a-z]))?/i.exec(name)
  if (found === null) return []
  const [, zone = '', half = ''] = found
  const zoneName = new RegExp(`UTM zone ${Number(zone)}${half === '' ? '[NS]' : half.toUpperCase()}$`)
  const text = `Named "${shown(name)}"`
  return [{ weight: zoneWeight, text, fits: (row) => zoneName.test(row.name) }]
}

/** Words for projections in names, with PROJ's methods. */
const methodWords: [RegExp, string[]][] = [
  [/^(?:aea|albers)$/i, ['aea']],
  [/^(?:lcc|lambert)$/i, ['lcc']],
  [/^laea$/i, ['laea']],
  [/^utm\d*[ns]?$/i, ['tmerc']],
]

/** `soils_aea`, `parcels_nad27`: words for a projection, and names of datums with their digits. */
function systemsIn(name: string): Hint[] {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word.length >= 3)
  const text = `Named "${shown(name)}"`
  const methods = methodWords.find(([word]) => words.some((one) => word.test(one)))?.[1]
  const datums = words.filter((word) => /^[a-z]+\d+$/i.test(word)).map((word) => word.toLowerCase())
  return [
    ...(methods === undefined
      ? []
      : [
          {
            weight: methodWeight,
            text,
            fits: (row: CrsRow) => methods.includes(shapeOfRow(row)?.method ?? ''),
          },
        ]),
    ...(datums.length === 0
      ? []
      : [{ weight: datumWeight, text, fits: ({ name: crs }: CrsRow) => datums.includes(datumWord(crs)) }]),
  ]
}

/** `NAD27 / UTM zone 10N` as `nad27`. */
function datumWord(crsName: string): string {
  return (crsName.split(' / ')[0] ?? '').replace(/[^A-Za-z0-9]/g, '').toLowerCase()
}

function valueHints({ name, example }: ColumnView): Hint[] {
  const value = example?.trim() ?? ''
  if (value === '' || value.length > 60) return []
  const text = `Column "${shown(name)}" has "${value}"`
  const srs = /^[A-Za-z_]+:\d{4,6}$/.test(value) ? parseSrs(value) : undefined
  if (srs !== undefined) return [{ weight: codeWeight, text, isCode: true, fits: (row) => row.srs === srs }]
  const places = placeHints(stateOf(name, value) ?? value, text)
  return places.length > 0 || !cityColumn.test(name) ? places : cityHints(value, text)
}

/** Columns that hold names of cities, towns or districts, in some languages. */
const cityColumn =
  /name|city|town|munic|place|stadt|^ort|gemeent|gemeind|kommun|ville|commun|comun|ciudad|cidade|miasto/i

/** Countries, states and cities that words of a name are called like, `oregon_roads`, and abbreviations of states, `mn_counties`. */
function nameHints(name: string): Hint[] {
  const words = name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
    .slice(0, maxWords)
  const text = `Named "${shown(name)}"`
  const parts = words.flatMap((_, at) =>
    [3, 2, 1]
      .map((length) => words.slice(at, at + length))
      .filter((part, index) => part.length === 3 - index),
  )
  const titles = parts.map((part) => part.join(' ')).filter((title) => !nowhere.test(title))
  const places = titles.flatMap((title) => placeHints(title, text))
  const cities = places.length > 0 ? [] : titles.flatMap((title) => cityHints(title, text))
  return [...places, ...cities, ...abbreviations(words, text)]
}

const maxWords = 8
/** Parts of names of areas of use that name no place. */
const nowhere =
  /^(?:on|off)shore$|^(?:north|south|east|west|central|main|mainland|world|islands?|land|coast|interior|zone|area|state|states)$/i

function cityHints(name: string, text: string): Hint[] {
  const boxes = name.trim().length < 4 ? [] : boxesOfCity(name)
  return boxes.length === 0
    ? []
    : [
        {
          weight: cityWeight,
          text,
          boxes,
          fits: (_row, points) => boxes.some((box) => isAround(points, box)),
        },
      ]
}

/** Data of a city lie around it, and are not many times as large. */
function isAround(points: readonly [number, number][], box: CountryBox): boolean {
  const [x, y] = points[middle] ?? [Number.NaN, Number.NaN]
  return isPointInBox(x, y, box)
}

/** The middle of the nine points of an envelope. */
const middle = 4

/**
 * The first or the last word of a name, or the second of `us-wy-park`, as a state of the United States or a province of Canada.
 */
function abbreviations(words: readonly string[], text: string): Hint[] {
  const [first = '', second = ''] = words
  const last = (/^(?:us|usa|ca)$/i.test(first) ? second : words.at(-1)) ?? ''
  return [first, last]
    .map((word) => word.toUpperCase())
    .flatMap((letters) => {
      const state = states.find((one) => one.letters === letters)?.name ?? ownValue(provinces, letters)
      const boxes = state === undefined ? [] : (findExpectedArea(state)?.boxes ?? [])
      if (boxes.length === 0) return []
      return [
        { weight: abbreviationWeight, text, fits: (_row, points) => mostIn(points, boxes) },
      ] satisfies Hint[]
    })
}

function placeHints(name: string, text: string): Hint[] {
  const plain = name.trim()
  if (plain.length < 4 || /^[\d.,+-]+$/.test(plain)) return []
  const boxes = findExpectedArea(plain)?.boxes.filter(([west, , east]) => east - west <= largestDegrees) ?? []
  return boxes.length === 0
    ? []
    : [{ weight: placeWeight, text, boxes, fits: (_row, points) => mostIn(points, boxes) }]
}

/** Half of the points or more: data of a state overshoot it a little. */
function mostIn(points: readonly [number, number][], boxes: readonly CountryBox[]): boolean {
  const inside = points.filter(([x, y]) => boxes.some((box) => isPointInBox(x, y, widened(box, 0.2))))
  return inside.length * 2 >= points.length
}

function widened([west, south, east, north]: CountryBox, by: number): CountryBox {
  return [west - by, south - by, east + by, north + by]
}

/** Columns with longitude and latitude say where the first row lies: within the bounds of the data, or near. */
function coordinateHints(columns: readonly ColumnView[]): Hint[] {
  const pair = proposeColumns([...columns])
  const [x, y] =
    pair?.isGeographic === true
      ? [pair.x, pair.y].map((name) => columns.find((one) => one.name === name))
      : degreeColumns(columns)
  const [longitude, latitude] = [x, y].map((one) => Number((one?.example ?? 'none').replace(',', '.')))
  if (longitude === undefined || latitude === undefined || Number.isNaN(longitude + latitude)) return []
  if (longitude === 0 && latitude === 0) return []
  const fits = (_row: CrsRow, points: readonly [number, number][]): boolean => {
    const xs = points.map(([east]) => east)
    const ys = points.map(([, north]) => north)
    const box: CountryBox = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
    return isPointInBox(longitude, latitude, widened(box, 0.05))
  }
  const text = `Columns "${shown(x?.name ?? '')}" and "${shown(y?.name ?? '')}" have ${longitude} and ${latitude}`
  const boxes = [widened([longitude, latitude, longitude, latitude], 0.05)]
  return [{ weight: coordinateWeight, text, boxes, fits }]
}

/** Columns with longitude and latitude that have further words in their names: `CenLon` and `CenLat`, `INTPTLON10` and `INTPTLAT10`. */
function degreeColumns(columns: readonly ColumnView[]): ColumnView[] {
  for (const x of columns) {
    const rest = x.name.replace(longitudeWord, '#')
    const y = columns.find(({ name }) => name !== x.name && name.replace(latitudeWord, '#') === rest)
    if (rest !== x.name && y !== undefined && isDegree(x, 180) && isDegree(y, 90)) return [x, y]
  }
  return []
}

const longitudeWord = /lon(?:g(?:i(?:tude?)?)?)?|lng/i
const latitudeWord = /lat(?:i(?:tude?)?)?/i

/** True if the example is a decimal number of degrees. */
function isDegree({ example = '' }: ColumnView, most: number): boolean {
  return /^\s*[+-]?\d{1,3}[.,]\d{2,}\s*$/.test(example) && Math.abs(Number(example.replace(',', '.'))) <= most
}

/** Postal abbreviation, FIPS code and name of the states of the United States, as columns of its data hold them. */
const states =
  `AL01Alabama AK02Alaska AZ04Arizona AR05Arkansas CA06California CO08Colorado CT09Connecticut DE10Delaware
FL12Florida GA13Georgia HI15Hawaii ID16Idaho IL17Illinois IN18Indiana IA19Iowa KS20Kansas KY21Kentucky LA22Louisiana
ME23Maine MD24Maryland MA25Massachusetts MI26Michigan MN27Minnesota MS28Mississippi MO29Missouri MT30Montana NE31Nebraska
NV32Nevada NH33New_Hampshire NJ34New_Jersey NM35New_Mexico NY36New_York NC37North_Carolina ND38North_Dakota OH39Ohio
OK40Oklahoma OR41Oregon PA42Pennsylvania RI44Rhode_Island SC45South_Carolina SD46South_Dakota TN47Tennessee TX48Texas UT49Utah
VT50Vermont VA51Virginia WA53Washington WV54West_Virginia WI55Wisconsin WY56Wyoming`
    .split(/\s/)
    .map((entry) => ({
      letters: entry.slice(0, 2),
      digits: entry.slice(2, 4),
      name: entry.slice(4).replace('_', ' '),
    }))

const provinces: Partial<Record<string, string>> = {
  AB: 'Alberta',
  BC: 'British Columbia',
  MB: 'Manitoba',
  NB: 'New Brunswick',
  NL: 'Newfoundland',
  NS: 'Nova Scotia',
  ON: 'Ontario',
  QC: 'Quebec',
  SK: 'Saskatchewan',
}

/** The state that a column of abbreviations or of FIPS codes, also those of counties and tracts, begins with. */
function stateOf(column: string, value: string): string | undefined {
  if (
    /^[A-Z]{2}$/.test(value) &&
    /^(?:st|state|stusps|postal)(?:_?(?:d|ab|abbr|abbrev|code|usps))?\d*$/i.test(column)
  )
    return states.find(({ letters }) => letters === value)?.name
  if (
    /^\d{2,12}$/.test(value) &&
    /fips|geoid|statefp|^st_?fp|stfid|^state\d*$|^tract/i.test(column) &&
    !/c(?:nty|ou?n?ty?)_?fips|countyfp/i.test(column)
  )
    return value.length === 3 || value.length === 4
      ? undefined
      : states.find(({ digits }) => digits === value.slice(0, 2))?.name
  return undefined
}
