import type { XmlElement } from '../../../core/text/xml-tree.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { readFes } from '../fes/read-fes.ts'
import { KeyValues } from '../key-values.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'
import { namespacePrefix } from '../type-names.ts'
import { maxIds, readResultType, readWholeNumber } from './kvp-feature-request.ts'
import type { FeatureRequest, TypeQuery, WfsRequest } from './wfs-request.ts'
import { isOldest, requestVersion } from './wfs-version.ts'

/** Requests with queries. */
const queried = new Set(['GetFeature', 'GetPropertyValue', 'GetFeatureWithLock', 'LockFeature'])

/** Returns the version that a request names, or that its namespace belongs to. */
export function xmlVersion({ attributes }: XmlElement): string {
  const namespaces = Object.entries(attributes).filter(([name]) => /^xmlns(?::|$)/.test(name))
  const isNewer = namespaces.some(([, namespace]) => namespace === 'http://www.opengis.net/wfs/2.0')
  return attributes['version'] ?? (isNewer ? '2.0.0' : '1.1.0')
}

/** Reads a WFS request from XML (OGC 09-025r2; 04-094). */
export function readWfsXml(
  root: XmlElement,
  request: FastifyRequest,
  documents: RequestDocuments,
): Pick<WfsRequest, 'values' | 'features'> {
  const { name, attributes, children } = root
  const isCapabilities = name === 'GetCapabilities'
  const pairs: [string, string][] = [
    ...Object.entries(attributes).filter(([key]) => !key.startsWith('xmlns') && key !== 'version'),
    ['request', name],
  ]
  if (isCapabilities) pairs.push(['acceptversions', textsBelow(root, 'Version').join(',')])
  if (!isCapabilities || attributes['version'] !== undefined) pairs.push(['version', xmlVersion(root)])
  const typeOf = (text: string, element: XmlElement): string => typeName(text, [element, root], request)
  pairs.push([
    'typenames',
    texts(children, 'TypeName')
      .map((one) => typeOf(one, root))
      .join(','),
  ])
  const stored = texts(children, 'StoredQueryId').join(',')
  if (stored !== '') pairs.push(['storedquery_id', stored])
  if (!queried.has(name)) return { values: new KeyValues(pairs) }
  const query = children.find((one) => one.name === 'StoredQuery')
  if (query !== undefined) return { values: new KeyValues([...pairs, ...storedPairs(query, children)]) }
  const values = new KeyValues(pairs)
  // Does not read the content of other versions.
  requestVersion(values)
  return { values, features: featuresOf(values, root, typeOf, documents) }
}

type TypeOf = (text: string, element: XmlElement) => string

function featuresOf(
  values: KeyValues,
  { name, children }: XmlElement,
  typeOf: TypeOf,
  documents: RequestDocuments,
): FeatureRequest {
  const most = documents.limits.queries
  if (children.length > most)
    throw new OwsFailure('InvalidParameterValue', `${name} has more than ${most} Query elements`, 'Query')
  const queries = children.map((query) => {
    const isLock = name === 'LockFeature' && query.name === 'Lock'
    if (query.name !== 'Query' && !isLock) throw unknownPart(query, name)
    return readQuery(query, typeOf, documents, isOldest(values))
  })
  if (queries.length === 0)
    throw new OwsFailure('MissingParameterValue', `${name} has no Query and no StoredQuery`, 'Query')
  return {
    resultType: readResultType(values.find('resulttype')),
    count: readWholeNumber(values, 'count') ?? readWholeNumber(values, 'maxfeatures'),
    startIndex: readWholeNumber(values, 'startindex') ?? 0,
    position: undefined,
    outputFormat: values.find('outputformat'),
    queries,
  }
}

function unknownPart({ name }: XmlElement, place: string): OwsFailure {
  return new OwsFailure(
    'InvalidParameterValue',
    `"${name.slice(0, 100)}" is not supported in ${place}`,
    name.slice(0, 100),
  )
}

const known = ['PropertyName', 'Filter', 'SortBy']

function readQuery(
  query: XmlElement,
  typeOf: TypeOf,
  documents: RequestDocuments,
  isPlain: boolean,
): TypeQuery {
  const { attributes, children } = query
  const strange = children.find(({ name }) => !known.includes(name))
  if (strange !== undefined) throw unknownPart(strange, 'a Query')
  // OWSLib writes it in small letters.
  const names = (attributes['typeNames'] ?? attributes['typenames'] ?? attributes['typeName'] ?? '')
    .split(/[\s,]+/)
    .filter((one) => one !== '')
  const [only, ...others] = names
  if (only === undefined)
    throw new OwsFailure('MissingParameterValue', 'A Query has no typeNames', 'typeNames')
  if (others.length > 0)
    throw new OwsFailure(
      'OperationNotSupported',
      'Joins are not supported: a Query names one type',
      'typeNames',
    )
  const filter = children.find(({ name }) => name === 'Filter')
  const written = filter === undefined ? {} : readFes(filter, documents, { isPlain })
  if ((written.ids?.length ?? 0) > maxIds)
    throw new OwsFailure('InvalidParameterValue', `At most ${maxIds} ids per request`, 'Filter')
  const properties = texts(children, 'PropertyName')
  return {
    typeName: typeOf(only, query),
    srsName: attributes['srsName'],
    bbox: undefined,
    properties: properties.length === 0 ? undefined : properties,
    ids: written.ids,
    filter: written.filter,
    sort: readSortBy(children.find(({ name }) => name === 'SortBy')),
  }
}

function readSortBy(sortBy: XmlElement | undefined): TypeQuery['sort'] {
  return (sortBy?.children ?? []).map((one) => {
    const [property] = [...texts(one.children, 'ValueReference'), ...texts(one.children, 'PropertyName')]
    const [order = 'ASC'] = texts(one.children, 'SortOrder')
    if (one.name !== 'SortProperty' || property === undefined || !/^(?:ASC|DESC)$/i.test(order))
      throw new OwsFailure('InvalidParameterValue', 'SortBy has a property with ASC or DESC', 'SortBy')
    return { property, isDescending: /^DESC$/i.test(order) }
  })
}

function storedPairs(stored: XmlElement, children: readonly XmlElement[]): [string, string][] {
  if (children.length > 1)
    throw new OwsFailure(
      'OperationNotSupported',
      'A StoredQuery cannot be combined with other queries',
      'StoredQuery',
    )
  const parameters = stored.children.map(({ attributes, text, children: inside }): [string, string] => [
    attributes['name'] ?? '',
    (inside[0]?.text ?? text).trim(),
  ])
  return [['storedquery_id', stored.attributes['id'] ?? ''], ...parameters]
}

function texts(elements: readonly XmlElement[], name: string): string[] {
  return elements.filter((one) => one.name === name).map(({ text }) => text.trim())
}

function textsBelow({ children }: XmlElement, name: string): string[] {
  return [...texts(children, name), ...children.flatMap((one) => texts(one.children, name))]
}

/** A name whose prefix is declared for the namespace of a workspace here has that of the workspace. */
function typeName(text: string, places: readonly XmlElement[], request: FastifyRequest): string {
  const plain = text.replace(/^schema-element\((.*)\)$/, '$1')
  const colon = plain.indexOf(':')
  const declared = places
    .map(({ attributes }) => attributes[`xmlns:${plain.slice(0, Math.max(colon, 0))}`])
    .find((one) => one !== undefined)
  const base = request.link('/')
  if (declared === undefined || !declared.startsWith(base)) return plain
  const [, workspace] = /^([^/]+)\/wfs$/.exec(declared.slice(base.length)) ?? []
  if (workspace === undefined) return plain
  return `${namespacePrefix(decoded(workspace))}:${plain.slice(colon + 1)}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
