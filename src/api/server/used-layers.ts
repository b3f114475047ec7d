import type { LayerRecord } from '../../catalog/index.ts'
import type { RequestEventType } from '../../monitoring/query/index.ts'
import type { FastifyRequest } from '../app-types.ts'

type UsedLayer = Pick<LayerRecord, 'workspace' | 'name' | 'details'> &
  Partial<Pick<LayerRecord, 'createdAt' | 'updatedAt'>>

declare module 'fastify' {
  interface FastifyRequest {
    /** The published layer that the request turned out to be about. */
    usedLayer: UsedLayer | undefined
    /** All layers without duplicates, if there may be several. */
    usedLayers: readonly UsedLayer[] | undefined
    /** The operation that a request names in its body, such as `GetFeature`. */
    usedOperation: string | undefined
    /** The service that a request turned out to ask, at an address of several. */
    usedService: RequestEventType | undefined
    /** True for a tile, if the endpoint has other responses too. */
    usedTile: boolean
    /** It is for the file of a whole layer or coverage: where it is delivered, that is a download. */
    usedFile: boolean
  }
}

/** Returns the layers that a request was about. */
export function usedLayersOf({ usedLayer, usedLayers }: FastifyRequest): readonly UsedLayer[] {
  return usedLayers ?? (usedLayer === undefined ? [] : [usedLayer])
}

/** Returns the names of the layers that a request was about, as `workspace:name`. */
export function usedLayerNames(request: FastifyRequest): string[] {
  return usedLayersOf(request).map(({ workspace, name }) => `${workspace}:${name}`)
}
