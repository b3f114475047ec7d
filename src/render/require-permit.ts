import type { Permit } from '../access/index.ts'
import { Failure } from '../core/errors/errors.ts'

/**
 * Throws `Failure` (`forbidden`) if the user who requested a file may not download the layer when its
 * creation starts.
 */
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
  // A deleted layer is reported when the file is created.
  if (layer === undefined || (await permit(user, 'download', layer))) return
  throw new Failure(
    'forbidden',
    'not-allowed',
    `The file was asked for by a user who may not download layer "${layer.workspace}:${layer.name}" any more`,
  )
}
