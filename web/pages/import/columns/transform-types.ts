import { call } from '../../../api/client.ts'
import { Resource } from '../../../lib/resource.ts'

/** A transformation of a chain, with its parameters. */
export type Step = Record<string, unknown>

/** A parameter of a transformation, from `/rest/transforms`. */
export interface Parameter {
  name: string
  means: 'field' | 'new-field' | 'class' | 'crs' | 'pattern' | 'text' | 'boolean' | 'texts' | 'numbers'
  isNeeded: boolean
}

export interface TransformType {
  type: string
  kind: 'vector' | 'raster'
  parameters: Parameter[]
}

export interface TransformTypes {
  transforms: TransformType[]
  classes: { name: string; type: string; isGeometry: boolean }[]
}

/** Loaded once: they do not change while the server runs. */
export const transformTypes = new Resource<TransformTypes>((signal) =>
  call({ path: '/rest/transforms' }, signal),
)

export function loadTransformTypes(): void {
  const { value, isLoading } = transformTypes.state.peek()
  if (value === undefined && !isLoading) void transformTypes.load()
}
