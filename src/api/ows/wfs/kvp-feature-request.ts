import type { WrittenFes } from '../fes/read-fes.ts'
import { readEcql, readFes } from '../fes/read-fes.ts'
import type { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'
import type { FeatureRequest, TypeQuery } from './wfs-request.ts'
import { isOldest } from './wfs-version.ts'

const maxTypes = 20
/** Most ids of a request. */
export const maxIds = 1000

/** Reads a GetFeature request by key and value (OGC 09-025r2, section 11.2.2; 04-094, section 14.7.3). */
export async function readFeatureRequest(
  values: KeyValues,
  documents: RequestDocuments,
): Promise<FeatureRequest> {
  const ids = readIds(values)
  const types = readTypeNames(values)
  refuseJoins(values)
  // The types follow from the ids.
  const named = types.length === 0 && ids !== undefined ? [''] : types
  const filters = await readFilters(values, documents)
  const queries = named.map((typeName) => readQuery(values, typeName, { ids, filters }))
  return {
    resultType: readResultType(values.find('resulttype')),
    count: readWholeNumber(values, 'count') ?? readWholeNumber(values, 'maxfeatures'),
    startIndex: readWholeNumber(values, 'startindex') ?? 0,
    position: values.find('position'),
    outputFormat: values.find('outputformat'),
    queries,
  }
}

/** In 2.0 names separated by commas are a join; several queries are in parentheses. */
function refuseJoins(values: KeyValues): void {
  if (!/,/.test((values.find('typenames') ?? '').replace(/\)\s*,?\s*\(/g, ''))) return
  throw new OwsFailure(
    'OperationNotSupported',
    'Joins are not supported: request several types by TYPENAMES=(one)(other)',
    'typenames',
  )
}

/** Reads RESULTTYPE. Throws `OwsFailure` (`InvalidParameterValue`). */
export function readResultType(text = 'results'): FeatureRequest['resultType'] {
  const found = (['results', 'hits'] as const).find((one) => one === text.toLowerCase())
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `RESULTTYPE "${text.slice(0, 60)}" is not results or hits`,
    'resulttype',
  )
}

/** Reads a whole number from 0; undefined if it is missing. */
export function readWholeNumber(values: KeyValues, name: string): number | undefined {
  const text = values.find(name)
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new OwsFailure(
    'InvalidParameterValue',
    `${name.toUpperCase()} "${text.slice(0, 60)}" is not a whole number from 0`,
    name,
  )
}

/** Reads the names of types, with or without parentheses. */
export function readTypeNames(values: KeyValues): string[] {
  const text = values.find('typenames') ?? values.find('typename')
  const names = (text ?? '')
    .replace(/\)\s*\(/g, ',')
    .replace(/^\(|\)$/g, '')
    .split(',')
  const found = [...new Set(names.map((one) => one.trim()).filter((one) => one !== ''))]
  if (found.length > maxTypes)
    throw new OwsFailure('InvalidParameterValue', `At most ${maxTypes} types per request`, 'typenames')
  return found
}

function readIds(values: KeyValues): string[] | undefined {
  const text = values.find('resourceid') ?? values.find('featureid')
  if (text === undefined) return undefined
  const ids = text
    .replace(/\)\s*\(/g, ',')
    .replace(/^\(|\)$/g, '')
    .split(',')
  if (ids.length <= maxIds) return ids
  throw new OwsFailure('InvalidParameterValue', `At most ${maxIds} ids per request`, 'resourceid')
}

function readQuery(
  values: KeyValues,
  typeName: string,
  { ids, filters }: { ids: string[] | undefined; filters: WrittenFes },
): TypeQuery {
  return {
    typeName,
    ids: ids ?? filters.ids,
    filter: filters.filter,
    srsName: values.find('srsname'),
    properties: readNames(values.find('propertyname')),
    sort: readSort(values.find('sortby')),
    bbox: readBbox(values.find('bbox')),
  }
}

function readNames(text: string | undefined): string[] | undefined {
  if (text === undefined || text === '*' || text === '(*)') return undefined
  return text
    .replace(/^\(|\)$/g, '')
    .split(',')
    .map((one) => one.trim())
}

/** Names with A or D, ASC or DESC behind. */
function readSort(text: string | undefined): TypeQuery['sort'] {
  if (text === undefined) return []
  return text
    .replace(/^\(|\)$/g, '')
    .split(',')
    .map((part) => {
      const [, property = '', direction = 'A'] = /^(.*?)(?:[\s+]+(A|D|ASC|DESC))?$/is.exec(part.trim()) ?? []
      return { property, isDescending: direction.toUpperCase().startsWith('D') }
    })
}

function readBbox(text: string | undefined): TypeQuery['bbox'] {
  if (text === undefined) return undefined
  const parts = text.split(',')
  const last = parts.at(-1) ?? ''
  const isNamed = parts.length % 2 === 1 && !/^\s*[-+.\d]/.test(last)
  const crs = isNamed ? last.trim() : undefined
  const numbers = (isNamed ? parts.slice(0, -1) : parts).map((part) =>
    part.trim() === '' ? Number.NaN : Number(part),
  )
  if ((numbers.length === 4 || numbers.length === 6) && numbers.every(Number.isFinite))
    return { numbers, crs }
  throw new OwsFailure(
    'InvalidParameterValue',
    `BBOX "${text.slice(0, 200)}" is not four numbers separated by commas, and the name of their CRS`,
    'bbox',
  )
}

/** By Filter Encoding or by the dialect of GeoServer. */
async function readFilters(values: KeyValues, documents: RequestDocuments): Promise<WrittenFes> {
  const text = values.find('filter')
  const cql = values.find('cql_filter')
  if (text !== undefined && cql !== undefined)
    throw new OwsFailure('InvalidParameterValue', 'Only one of FILTER and CQL_FILTER can be given', 'filter')
  if (cql !== undefined) return readEcql(cql, documents)
  if (text === undefined) return {}
  const filter = await documents.readFilterXml(text.trim().replace(/^\(|\)$/g, ''))
  return readFes(filter, documents, { isPlain: isOldest(values) })
}
