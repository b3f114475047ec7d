import { Type } from 'typebox'

export const StyleParams = Type.Object({
  collectionId: Type.String({ description: 'Workspace and layer, such as `city:heights`' }),
  styleId: Type.String({ description: "A style of the layer's workspace or a global one" }),
})
