import { Type } from 'typebox'
import { WorkspaceParams } from '../catalog/paths.ts'

export const StoreParams = Type.Object({
  ...WorkspaceParams.properties,
  store: Type.String({ description: 'Name of a store of the workspace' }),
})
