import { Resource } from '../../../lib/resource.ts'
import { call } from '../../../wire/client.ts'

/** A transformation of a chain, with its parameters. */
export type Step = Record<string, unknown>

/** What a parameter of a transformation is, as `/rest/transforms` tells. */
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

/** They do not change while the server runs: asked for once. */
export const transformTypes = new Resource<TransformTypes>((signal) =>
  call({ path: '/rest/transforms' }, signal),
)

export function loadTransformTypes(): void {
  const { value, isLoading } = transformTypes.state.peek()
  if (value === undefined && !isLoading) void transformTypes.load()
}
