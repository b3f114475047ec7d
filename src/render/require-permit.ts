import type { Permit } from '../access/index.ts'
import { Failure } from '../core/errors/errors.ts'

/** Throws `Failure` (`forbidden`) if the user who asked for a file may not download the layer when the file is begun. */
export async function requirePermit(
  permit: Permit,
  layers: {
    findById(
      id: number,
    ): Promise<{ workspace: string; name: string; isPublic?: boolean | undefined } | undefined>
  },
  { user, layerId }: { user: string; layerId: number },
): Promise<void> {
  const layer = await layers.findById(layerId)
  // Making the file reports a layer that is gone.
  if (layer === undefined || (await permit(user, 'download', layer))) return
  throw new Failure(
    'forbidden',
    'not-allowed',
    `The file was asked for by a user who may not download layer "${layer.workspace}:${layer.name}" any more`,
  )
}
