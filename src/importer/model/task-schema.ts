import type { Schema } from '../../geo/schema.ts'
import { chainSchema } from '../../transforms/chain.ts'
import { toJavaClass } from '../../transforms/java-class.ts'
import type { TransformSpec } from '../../transforms/transform.ts'
import { chainOptions, chosenSchema, retypedAttributes } from './task-layer.ts'
import type { TaskRecord } from './task-record.ts'

/** Everything that is done to the rows: what the layer's attributes ask, then the task's own chain. */
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

/** The schema that the store will be given; throws where a transformation does not fit. */
export function finalSchema(task: TaskRecord): Schema {
  const { source, layer } = task
  if (source === undefined || layer === undefined) return { attributes: [], geometry: undefined }
  const options = chainOptions(source.schema, layer.srs)
  return chainSchema(chosenSchema(source.schema, layer), transformsOf(task), options)
}
