import type { Rights } from '../../../access/index.ts'
import { Failure, notFound } from '../../../core/errors/errors.ts'
import type { Importer, ImportRecord } from '../../../importer/index.ts'
import type { App, FastifyRequest } from '../../app-types.ts'
import { parseId } from './parameters.ts'

type Imports = Pick<Importer['kept'], 'find'>

/** Operations that create an import with the id in the path if there is none. */
const creating = ['createImportWithId', 'runImport']

/**
 * True if the caller may see and change an import: those who may import into its workspace, and the creator as
 * long as the creator may import anything there.
 */
export function isVisibleImport(
  rights: Rights,
  caller: FastifyRequest['caller'],
  record: ImportRecord,
): boolean {
  const { workspace, user } = record
  if (rights.can('import', { workspace })) return true
  return user !== undefined && user === caller.name && rights.canWithin('import', workspace)
}

/** An import that the caller may not see has the same response as a missing one. */
export function guardImports(app: App, imports: Imports): void {
  app.addHook('preValidation', async (request) => {
    const { importId } = request.params as { importId?: string }
    if (importId === undefined) return
    const rights = await request.rights()
    if (rights.can('import', '*')) return
    const id = parseId(importId, 'import')
    const record = await imports.find(id)
    if (record !== undefined && isVisibleImport(rights, request.caller, record)) return
    if (record === undefined && creating.includes(request.routeOptions.config.operation?.id ?? '')) return
    throw notFound('unknown-import', `No such import: ${id}`)
  })
}

/** Throws `Failure` if the caller may not import into a workspace. */
export function requireImportInto(rights: Rights, { caller }: FastifyRequest, workspace: string): void {
  if (rights.canWithin('import', workspace)) return
  const text = `${caller.name} needs the right "import" for workspace "${workspace}"`
  throw new Failure('forbidden', 'not-allowed', text)
}
