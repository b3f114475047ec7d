import type { FeatureBatch } from '../geo/batch.ts'
import type { Schema } from '../geo/schema.ts'
import { checkParameters, textParameter, withoutNulls } from './parameters.ts'
import type { Transform } from './registry.ts'
import { findTransform } from './registry.ts'
import type {
  BatchMapper,
  ChainOptions,
  TransformContext,
  TransformSpec,
  VectorTransform,
} from './transform.ts'
import { TransformError } from './transform.ts'

/** Returns the transformation of a spec; throws `TransformError` for an unknown type or a wrong parameter. */
export function validateTransform(spec: TransformSpec): Transform {
  const transform = typeof spec.type === 'string' ? findTransform(spec.type) : undefined
  if (transform === undefined) {
    throw new TransformError(`Unknown transformation type "${String(spec.type)}"`, 'unknown-transform')
  }
  checkParameters(transform.parameters, spec)
  if (transform.kind === 'raster') transform.check(spec)
  return transform
}

/** Like `validateTransform`, for a chain over features, which excludes raster transformations. */
export function vectorTransformOf(spec: TransformSpec): VectorTransform {
  const transform = validateTransform(spec)
  if (transform.kind === 'vector') return transform
  throw new TransformError(
    `${transform.type} acts on raster data, and the task has vector data`,
    'other-kind',
  )
}

/** Returns a transformation for API responses: its type and parameters with defaults. */
export function describeTransform(spec: TransformSpec): Record<string, unknown> {
  const transform = validateTransform(spec)
  return { type: transform.type, ...transform.show(withoutNulls(spec)) }
}

/** Runs work for one position of a chain; a `TransformError` names the position, counted from 1. */
export function atPlace<T>(place: number, spec: TransformSpec, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw placed(error, place, spec)
  }
}

function placed(error: unknown, place: number, spec: TransformSpec): unknown {
  if (!(error instanceof TransformError)) return error
  return new TransformError(`Transformation ${place + 1} (${spec.type}): ${error.message}`, error.code)
}

/**
 * Returns the schema after each step of a chain. Throws a `TransformError` that names the position in the
 * chain, counted from 1, and the reason.
 */
export function foldChain(
  schema: Schema,
  specs: readonly TransformSpec[],
  options: ChainOptions = {},
): Schema[] {
  let current = schema
  return specs.map((spec, place) => {
    current = atPlace(place, spec, () =>
      vectorTransformOf(spec).outputSchema(current, withoutNulls(spec), options),
    )
    return current
  })
}

/** Returns the schema of the result of the chain. */
export function chainSchema(
  schema: Schema,
  specs: readonly TransformSpec[],
  options: ChainOptions = {},
): Schema {
  return foldChain(schema, specs, options).at(-1) ?? schema
}

/** Returns the columns that the chain indexes after the load, without duplicates. */
export function chainIndexes(specs: readonly TransformSpec[]): string[] {
  const fields = specs
    .filter((spec) => vectorTransformOf(spec).phase === 'after')
    .map((spec) => textParameter(spec, 'field'))
  return [...new Set(fields)]
}

/**
 * Runs batches through the inline transformations in order; rows that do not fit become rejects of their
 * batch.
 */
export async function* runChain(
  batches: AsyncIterable<FeatureBatch>,
  schema: Schema,
  specs: readonly TransformSpec[],
  context: TransformContext,
): AsyncGenerator<FeatureBatch, void, undefined> {
  const mappers: BatchMapper[] = []
  try {
    await prepareMappers(mappers, schema, specs, context)
    for await (const batch of batches) {
      context.signal.throwIfAborted()
      let current = batch
      for (const mapper of mappers) {
        const mapped = mapper.apply(current)
        current = mapped instanceof Promise ? await mapped : mapped
      }
      yield current
    }
  } finally {
    for (const mapper of mappers) await mapper.close?.()
  }
}

async function prepareMappers(
  mappers: BatchMapper[],
  schema: Schema,
  specs: readonly TransformSpec[],
  context: TransformContext,
): Promise<void> {
  let current = schema
  for (const [place, spec] of specs.entries()) {
    try {
      const transform = vectorTransformOf(spec)
      if (transform.phase === 'after') continue
      const mapper = await transform.prepare(current, withoutNulls(spec), context)
      mappers.push(mapper)
      current = mapper.schema
    } catch (error) {
      throw placed(error, place, spec)
    }
  }
}
