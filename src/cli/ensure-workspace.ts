import type { SessionContext } from './import-context.ts'
import { RestError } from './rest-client.ts'

/** Creates a missing workspace of an import if requested by an option, or by the answer to a prompt. */
export async function ensureWorkspace(
  { client, ask }: SessionContext,
  name: string,
  isRequested: boolean,
): Promise<void> {
  try {
    await client.get(`/rest/workspaces/${encodeURIComponent(name)}`)
  } catch (error) {
    if (!(error instanceof RestError) || error.status !== 404) throw error
    if (isRequested || (await isSelected(ask, name)))
      await client.post('/rest/workspaces', { workspace: { name } })
  }
}

async function isSelected(ask: SessionContext['ask'], name: string): Promise<boolean> {
  if (ask === undefined) return false
  const answers = [
    { key: 'y', text: 'make it' },
    { key: 'n', text: 'do not import' },
  ]
  return (await ask(`Workspace ${name} does not exist.`, answers)) === 'y'
}
