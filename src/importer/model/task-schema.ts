import type { Schema } from '../../geo/schema.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { type TransformSpec, toJavaClass } from '../../transforms/index.ts'
import { chainOptions, chosenSchema, retypedAttributes } from './task-layer.ts'
import type { TaskRecord } from './task-record.ts'

/** Returns all transformations of the rows: those for the layer's attributes, then the task's own chain. */
export function transformsOf(task: TaskRecord): TransformSpec[] {
  const { source, layer } = task
  if (source === undefined || layer === undefined) return []
  const retyped = retypedAttributes(source.schema, layer).map((choice) => ({
    type: 'AttributeRemapTransform',
    field: choice.name,
    target: toJavaClass(choice.type),
  }))
  return [...retypedGeometry(task), ...retyped, ...task.transforms.map(({ spec }) => spec)]
}

function retypedGeometry({ source, layer }: TaskRecord): TransformSpec[] {
  const { geometry } = source?.schema ?? {}
  const type = layer?.geometryType
  if (geometry === undefined || type === undefined || type === geometry.type) return []
  return [{ type: 'AttributeRemapTransform', field: geometry.name, target: toJavaClass(type) }]
}

/** Returns the schema for the store; throws if a transformation does not fit. */
export function finalSchema(task: TaskRecord): Schema {
  const { source, layer } = task
  if (source === undefined || layer === undefined) return { attributes: [], geometry: undefined }
  const options = chainOptions(source.schema, layer.srs)
  return chainSchema(chosenSchema(source.schema, layer), transformsOf(task), options)
}
