import type { LayerRecord } from '../../../catalog/index.ts'
import { allOf } from '../../../filters/filter.ts'
import type { FilteredTableQuery, TimeSelection } from '../../../render/index.ts'
import type { RequestFilter } from '../../../stores/reading/request-filter.ts'
import type { WrittenFes } from '../fes/read-fes.ts'
import { readEcql, readFes } from '../fes/read-fes.ts'
import { KeyValues } from '../key-values.ts'
import type { RequestedLayer } from '../named-layers.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { RequestDocuments } from '../request-documents.ts'
import { findFeatureId } from '../type-names.ts'
import { timesFilter } from './time-dimension.ts'

const maxIds = 10_000
const nothing: RequestFilter = { requested: { kind: 'constant', is: false }, srs: 'EPSG:4326' }

/**
 * Returns one filter per layer, in order; undefined: all features. `CQL_FILTER` has one text per name in the
 * request, separated by semicolons, `FILTER` one `Filter` per name, each in parentheses if there are several; the
 * filter of a group applies to each of its feature layers. `FEATUREID` applies to all layers. Throws `OwsFailure`, `invalid-filter` and `unsupported-filter`.
 */
export async function readLayerFilters(
  values: KeyValues,
  requested: readonly RequestedLayer[],
  documents: RequestDocuments,
): Promise<(FilteredTableQuery | undefined)[]> {
  const layers = requested.map(({ layer }) => layer)
  const [cql, fes, ids] = ['cql_filter', 'filter', 'featureid'].map((name) => values.find(name))
  const given = [cql, fes, ids].filter((one) => one !== undefined)
  if (given.length > 1)
    throw new OwsFailure(
      'InvalidParameterValue',
      'Only one of CQL_FILTER, FILTER and FEATUREID can be given',
      'filter',
    )
  const found =
    cql !== undefined
      ? await readEach(perLayer(splitCql(cql), requested, 'cql_filter'), documents, readCql)
      : fes !== undefined
        ? await readEach(perLayer(splitFes(fes), requested, 'filter'), documents, readFilterXml)
        : ids !== undefined
          ? layers.map((layer) => readIds(ids, layer))
          : layers.map(() => undefined)
  const raster = requested.find(
    ({ layer, group }, at) =>
      layer.details.kind === 'raster' && group === undefined && found[at] !== undefined,
  )?.layer
  if (raster === undefined || ids !== undefined)
    return layers.map(({ details }, at) => (details.kind === 'raster' ? undefined : found[at]))
  throw new OwsFailure(
    'InvalidParameterValue',
    `Layer "${raster.name}" is a coverage, which has no features to filter: write INCLUDE for it`,
    'filter',
  )
}

/** The filters with what TIME leaves besides. */
export function withTimes(
  filters: readonly (FilteredTableQuery | undefined)[],
  layers: readonly LayerRecord[],
  times: readonly TimeSelection[] | undefined,
): (FilteredTableQuery | undefined)[] {
  if (times === undefined) return [...filters]
  return layers.map(({ details }, at) => {
    const known = filters[at]
    const during = timesFilter(details, times)
    if (during === undefined) return known
    const filter = known?.filter === undefined ? during : allOf([known.filter.requested, during])
    return { ...known, filter: { requested: filter, srs: known?.filter?.srs ?? details.srs ?? 'EPSG:4326' } }
  })
}

/** Like `readLayerFilters` for some of the layers, each by its name in the request. */
export function readChosenFilters(
  values: KeyValues,
  names: readonly string[],
  chosen: readonly { layer: LayerRecord; name: string }[],
  documents: RequestDocuments,
): Promise<(FilteredTableQuery | undefined)[]> {
  const read = async ({ layer, name }: { layer: LayerRecord; name: string }) => {
    const at = names.indexOf(name)
    const own = (parameter: string, texts: readonly string[]): KeyValues => {
      if (texts.length === names.length) return new KeyValues([[parameter, texts[at] ?? '']])
      throw mismatched(parameter, texts.length, names.length)
    }
    const [cql, fes] = [values.find('cql_filter'), values.find('filter')]
    const one = cql === undefined ? own('filter', splitFes(fes ?? '')) : own('cql_filter', splitCql(cql))
    return at < 0 ? undefined : (await readLayerFilters(one, [{ layer, position: 0 }], documents))[0]
  }
  return Promise.all(chosen.map(read))
}

function mismatched(name: string, filters: number, layers: number): OwsFailure {
  return new OwsFailure(
    'InvalidParameterValue',
    `${name.toUpperCase()} has ${filters} filters for ${layers} layers: write one for each, INCLUDE for all features of one`,
    name,
  )
}

function perLayer(
  texts: readonly string[],
  requested: readonly RequestedLayer[],
  name: string,
): { text: string; layer: LayerRecord }[] {
  const names = 1 + (requested.at(-1)?.position ?? -1)
  if (texts.length !== names) throw mismatched(name, texts.length, names)
  return requested.map(({ layer, position }) => ({ layer, text: texts[position] ?? '' }))
}

/** A text or a name in quotes, in which quotes are doubled. */
const quotedText = /'(?:[^']|'')*'|"(?:[^"]|"")*"/g

/** Semicolons in texts and in names do not divide. */
function splitCql(text: string): string[] {
  const quoted: string[] = []
  const plain = text.replaceAll('\0', ' ').replace(quotedText, (one) => `\0${quoted.push(one) - 1}\0`)
  return plain
    .split(';')
    .map((part) => part.replace(/\0(\d+)\0/g, (_, number: string) => quoted[Number(number)] ?? ''))
}

/** Splits `(<Filter>…)(<Filter>…)`; a single filter may have no parentheses, and `()` is none. */
function splitFes(text: string): string[] {
  const plain = text.trim()
  return plain.startsWith('(') && plain.endsWith(')') ? plain.slice(1, -1).split(/\)\s*\(/) : [plain]
}

interface WrittenFilter {
  text: string
  layer: LayerRecord
}

type ReadFilter = (
  written: WrittenFilter,
  documents: RequestDocuments,
) => Promise<FilteredTableQuery | undefined>

/** In sequence: the first invalid one determines the error. */
async function readEach(
  written: readonly WrittenFilter[],
  documents: RequestDocuments,
  read: ReadFilter,
): Promise<(FilteredTableQuery | undefined)[]> {
  const filters: (FilteredTableQuery | undefined)[] = []
  for (const one of written) filters.push(await read(one, documents))
  return filters
}

const readCql: ReadFilter = async ({ text, layer }, documents) =>
  /^\s*(?:include)?\s*$/i.test(text) ? undefined : ofLayer(await readEcql(text, documents), layer)

const readFilterXml: ReadFilter = async ({ text, layer }, documents) => {
  if (text.trim() === '') return undefined
  return ofLayer(readFes(await documents.readFilterXml(text), documents), layer)
}

async function ofLayer({ ids, filter }: WrittenFes, layer: LayerRecord): Promise<FilteredTableQuery> {
  return ids === undefined ? { filter: await filter?.(layer) } : ofIds(ids, layer)
}

function readIds(text: string, layer: LayerRecord): FilteredTableQuery {
  return ofIds(
    text.split(',').map((one) => one.trim()),
    layer,
  )
}

/** Ids of other layers select no feature of this one. */
function ofIds(written: readonly string[], layer: LayerRecord): FilteredTableQuery {
  if (written.length > maxIds)
    throw new OwsFailure('InvalidParameterValue', `At most ${maxIds} ids per request`, 'featureid')
  const ids = written.flatMap((one) => findFeatureId(layer, one) ?? [])
  return ids.length === 0 ? { filter: nothing } : { ids }
}
