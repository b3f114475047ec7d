import { invalid } from '../../core/errors/errors.ts'
import { toLayerName } from '../../core/text/layer-name.ts'
import { without } from '../../core/values/defined.ts'
import type { LayerDescription } from '../../formats/worker.ts'
import { crsCandidates, matchCrs } from '../../geo/crs-database.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { attributeIndex, identityAttribute, withTitles } from '../../geo/schema.ts'
import { defaultStyleName } from '../../styles/worker.ts'
import type { ChainOptions } from '../../transforms/index.ts'
import type { AttributeChoice, LoadedAttribute, TaskLayer, TaskRecord } from './task-record.ts'

/** Returns the layer that a task would create from the contents of a file. */
export function proposeLayer(source: LayerDescription): TaskLayer {
  const crs = source.raster?.crs ?? source.schema.geometry?.crs
  const hasPlace = source.raster !== undefined || source.schema.geometry !== undefined
  const srs = crs === undefined ? undefined : matchCrs(crs)
  const name = toLayerName(source.name)
  return {
    name,
    title: source.name,
    originalName: source.name,
    nativeName: name,
    style: defaultStyleName(source.schema.geometry?.type, source.raster === undefined ? 'vector' : 'raster'),
    srs,
    srsCandidates: srs === undefined && hasPlace ? crsCandidates(crs, source.envelope) : undefined,
  }
}

/** Returns all attributes of the source, unchanged. */
export function allAttributes(schema: Schema): AttributeChoice[] {
  return schema.attributes.map(({ name, type }) => ({ name, source: name, type }))
}

function chosenAttribute(schema: Schema, choice: AttributeChoice): Attribute {
  const attribute = schema.attributes[attributeIndex(schema, choice.source)]
  if (attribute === undefined) {
    const names = schema.attributes.map(({ name }) => name).join(', ')
    throw invalid(
      'unknown-attribute',
      `Attribute "${choice.source}" does not exist. Existing attributes: ${names}`,
    )
  }
  return choice.name === choice.source
    ? attribute
    : { ...attribute, name: choice.name, source: attribute.source ?? attribute.name }
}

/**
 * Returns the schema of the source with the client's selection of attributes and the layer's CRS, with
 * unchanged types: the input of the chain.
 */
export function chosenSchema(source: Schema, layer: Pick<TaskLayer, 'attributes' | 'srs'>): Schema {
  const { attributes: choices, srs } = layer
  const attributes =
    choices === undefined ? source.attributes : choices.map((one) => chosenAttribute(source, one))
  const { geometry } = source
  return {
    attributes,
    geometry:
      geometry === undefined || srs === undefined ? geometry : { ...geometry, crs: { ...geometry.crs, srs } },
  }
}

/**
 * Returns the chain options for the rows of a source: the CRS set on the layer and the CRS declared in the
 * data.
 */
export function chainOptions(source: Schema, srs: string | undefined): ChainOptions {
  const sourceCrs = source.geometry?.crs
  return { declaredCrs: srs === undefined ? undefined : { srs }, sourceCrs }
}

/** Returns attributes whose type the client changed, with their chosen names. */
export function retypedAttributes(source: Schema, layer: TaskLayer): AttributeChoice[] {
  return (layer.attributes ?? []).filter((choice) => {
    const attribute = source.attributes[attributeIndex(source, choice.source)]
    return attribute !== undefined && attribute.type !== choice.type
  })
}

/** Returns the columns of the published table, out of those given to the store or of all. */
export function loadedLayer(
  { loaded }: TaskLayer,
  { attributes, geometry }: Schema,
): NonNullable<TaskLayer['loaded']> {
  const given = loaded === undefined ? undefined : new Map(loaded.attributes.map((one) => [one.name, one]))
  return {
    attributes: attributes.flatMap(({ name, type, source = name, example, title }): LoadedAttribute[] => {
      const from = given === undefined ? { source, example, title } : given.get(name)
      return from === undefined ? [] : [{ ...from, name, type }]
    }),
    geometry: geometry === undefined ? undefined : { name: geometry.name, type: geometry.type },
  }
}

/** Adds the column titles of the data to the schema of a published table, since stores do not retain them. */
export function titledSchema(layer: TaskLayer | undefined, schema: Schema): Schema {
  if (layer === undefined) return schema
  const titles = new Map(loadedLayer(layer, schema).attributes.map(({ name, title }) => [name, title]))
  return withTitles(schema, (name) => titles.get(name))
}

/** Returns the column of a published table that contains the values of the identity column of the data. */
export function identityColumn({ layer, source }: TaskRecord, schema: Schema): string | undefined {
  const identity = source && identityAttribute(source.schema)?.name
  if (layer === undefined || identity === undefined) return undefined
  return loadedLayer(layer, schema).attributes.find((one) => one.source === identity)?.name
}

/** True if the data are loaded as in the file: nothing selected, renamed or converted. */
export function isLoadedWhole(task: TaskRecord): boolean {
  const { attributes, geometryType } = task.layer ?? {}
  const isChanged = attributes !== undefined || geometryType !== undefined || task.repair === true
  return task.transforms.length === 0 && !isChanged
}

/**
 * Returns the layer settings as declared by the client and the data, also after publication, when the layer
 * has CRS and bounds of its own.
 */
export function declaredLayer({ layer, published, rowsLoaded, source }: TaskRecord): TaskLayer | undefined {
  if (layer === undefined || (published === undefined && rowsLoaded === undefined)) return layer
  // A task of an earlier version has no declared settings: the CRS comes from its data, if they name one.
  const srs = source?.schema.geometry?.crs?.srs ?? layer.srs
  return { ...without(layer, 'srs', 'bounds'), ...(published?.declared ?? { srs }) }
}

/** Returns the schema of a task's source, with the assumed CRS of its data. */
export function sourceSchema(task: TaskRecord): Schema {
  const { srs } = declaredLayer(task) ?? {}
  const { schema } = task.source ?? { schema: { attributes: [], geometry: undefined } }
  return chosenSchema(schema, { srs })
}
