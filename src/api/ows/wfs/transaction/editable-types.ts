import type { LayerSummary } from '../../../../catalog/index.ts'
import { findStoreDescription } from '../../../../stores/registry.ts'
import type { CapabilitiesDeps } from '../../ows-deps.ts'
import type { WfsRequest } from '../wfs-request.ts'

/**
 * Returns the ids of the layers whose features the caller may edit, as far as the catalogue knows: a table may
 * still lack a key, or its store a right.
 */
export async function findEditableTypes(
  { catalog }: Pick<CapabilitiesDeps, 'catalog'>,
  { request }: Pick<WfsRequest, 'request'>,
  cards: readonly LayerSummary[],
): Promise<ReadonlySet<number>> {
  if (request.caller.role === 'anonymous') return new Set()
  const rights = await request.rights()
  const stores = new Map<number, boolean>()
  const editable = new Set<number>()
  for (const card of cards) {
    if (card.inPlace?.managed === false || !rights.can('edit', card)) continue
    const known = stores.get(card.storeId) ?? (await takesEdits(catalog, card.storeId))
    stores.set(card.storeId, known)
    if (known) editable.add(card.id)
  }
  return editable
}

async function takesEdits(catalog: CapabilitiesDeps['catalog'], storeId: number): Promise<boolean> {
  const { type, isEnabled, parameters } = await catalog.stores.get(storeId)
  return isEnabled && findStoreDescription(type)?.can.takesLoads === true && parameters.read_only !== 'true'
}
