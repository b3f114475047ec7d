import { parseDegrees } from '../core/values/degrees-text.ts'

/** Columns of a table with the coordinates of points. */
export interface Columns {
  x: string
  y: string
}

/** A column of the data, with an example value. */
export interface ColumnView {
  name: string
  example?: string
}

/** Columns that are proposed as coordinates. */
export interface Proposal extends Columns {
  /** True if names and values indicate degrees. */
  isGeographic: boolean
  /** True if the numbers have a decimal comma. */
  hasCommas?: true
  /** True if they contain degrees with minutes or seconds, or with a hemisphere letter. */
  isSexagesimal?: true
}

// Names of such columns in many languages, without accents; letters only.
const latitudes = words(
  'lat latitude latitud latitudine latitudedecimal decimallatitude gpslatitude ylat breite breitengrad geobreite breedte breedtegraad breddegrad breddgrad leveys leveysaste szerokosc szerokoscgeograficzna szergeogr sirka zemepisnasirka szelesseg enlem широта γεωγραφικοπλατος πλατος 纬度 緯度 위도 lintang vido خطالعرض دائرةالعرض',
)
const longitudes = words(
  'lon lng long longitude longitud longitudine longitudedecimal decimallongitude gpslongitude xlon xlong lange laenge langengrad laengengrad geolange geolaenge lengte lengtegraad lengdegrad laengdegrad langdgrad pituus pituusaste dlugosc dlugoscgeograficzna dlgeogr delka zemepisnadelka hosszusag boylam долгота довгота γεωγραφικομηκος μηκος 经度 經度 経度 경도 bujur kinhdo خطالطول',
)
const eastings = words('x xcoord xkoord coordx koordx easting east rechtswert rw ostwert utme este est')
const northings = words('y ycoord ykoord coordy koordy northing north hochwert hw nordwert utmn norte nord')

/**
 * Returns the columns that contain coordinates according to their names, if they form a pair and the values
 * are in range.
 */
export function proposeColumns(columns: ColumnView[]): Proposal | undefined {
  const degrees = findPair(columns, longitudes, latitudes)
  const pair = degrees ?? findPair(columns, eastings, northings)
  if (pair === undefined) return undefined
  const [x, y] = pair
  if (degrees !== undefined && areSexagesimal(x, y))
    return { x: x.name, y: y.name, isGeographic: true, isSexagesimal: true }
  const hasCommas = haveCommas(x, y)
  const [east, north] = [numberIn(x, hasCommas), numberIn(y, hasCommas)]
  const isGeographic = Math.abs(east) <= 180 && Math.abs(north) <= 90
  if (degrees !== undefined ? !isGeographic : Number.isNaN(east) || Number.isNaN(north)) return undefined
  // The comma in 393,512 may separate thousands.
  if (hasCommas && !isGeographic && pair.some(({ example = '' }) => thousands.test(example))) return undefined
  return { x: x.name, y: y.name, isGeographic, hasCommas: hasCommas || undefined }
}

/** True if the examples are a longitude and a latitude with minutes, or with a hemisphere letter. */
export function areSexagesimal(longitude: ColumnView, latitude: ColumnView): boolean {
  const angles = [
    parseDegrees(longitude.example ?? '', 'longitude'),
    parseDegrees(latitude.example ?? '', 'latitude'),
  ]
  return !angles.includes(undefined)
}

const withComma = /^\s*[-+]?\d+,\d+\s*$/
const thousands = /^\s*[-+]?\d{1,3}(,\d{3})+\s*$/

/** True if the numbers have a decimal comma, and none a decimal point. */
export function haveCommas(...columns: ColumnView[]): boolean {
  const examples = columns.map(({ example = '' }) => example)
  const areNumbers = examples.every((example) => withComma.test(example) || /^\s*[-+]?\d+\s*$/.test(example))
  return areNumbers && examples.some((example) => withComma.test(example))
}

const pairNames =
  /coord|koord|latl|lat_?lng|geo|location|lage|position|posici|posizione|punkt|point|punto|ponto|standort|ubicaci|wsp|souradnice|координат|坐标|座標|좌표|gps/i

/** True if a column's name suggests both numbers of a point. */
export function isPairName(name: string): boolean {
  return pairNames.test(name)
}

/** True if a column's name suggests a coordinate or a point. */
export function isCoordinateName(name: string): boolean {
  const isNumber = [latitudes, longitudes, eastings, northings].some(
    (names) => restsOf(name, names).length > 0,
  )
  return isNumber || isPairName(name)
}

/** Finds the column of that name, otherwise the only one that differs by case alone. */
export function findColumn(columns: ColumnView[], name: string): string | undefined {
  if (columns.some((one) => one.name === name)) return name
  const alike = columns.filter((one) => one.name.toLowerCase() === name.toLowerCase())
  return alike.length === 1 ? alike[0]?.name : undefined
}

/** Matches `lat` and `lon`, or `stop_lat` and `stop_lon`: prefix and suffix must be equal. */
function findPair(
  columns: ColumnView[],
  xNames: Set<string>,
  yNames: Set<string>,
): [ColumnView, ColumnView] | undefined {
  for (const x of columns) {
    for (const rest of restsOf(x.name, xNames)) {
      const y = columns.find((one) => restsOf(one.name, yNames).includes(rest))
      if (y !== undefined) return [x, y]
    }
  }
  return undefined
}

/**
 * Returns the parts before and after a word of `names` in a column's name; empty if the whole name is the
 * word.
 */
function restsOf(column: string, names: Set<string>): string[] {
  const parts = partsOf(column)
  if (names.has(parts.join(''))) return ['']
  const [first = '', ...behind] = parts
  const last = parts.at(-1) ?? ''
  return [
    ...(names.has(last) ? [`${parts.slice(0, -1).join(' ')} *`] : []),
    ...(names.has(first) ? [`* ${behind.join(' ')}`] : []),
  ]
}

/** Returns the words of a column's name in lower case without accents. */
export function partsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}]+/u)
    .filter((part) => part !== '')
}

function words(text: string): Set<string> {
  return new Set(text.split(' ').map((word) => partsOf(word).join('')))
}

/** Returns the number in an example value, or NaN. */
function numberIn({ example = '' }: ColumnView, hasCommas: boolean): number {
  const text = hasCommas ? example.replace(',', '.') : example
  return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN
}
