import type { RestClient } from './rest-client.ts'
import { RestError, readField } from './rest-client.ts'
import type { TaskOutcome } from './task-outcome.ts'

/** Makes the imported layers public; errors become messages of the task. */
export async function publishToAll(
  client: RestClient,
  workspace: string,
  outcomes: TaskOutcome[],
): Promise<void> {
  for (const outcome of outcomes.filter(({ state }) => state === 'COMPLETE')) {
    const name = `${workspace}:${outcome.layer}`
    const reason = await whyNotPublic(client, name)
    if (reason === undefined) continue
    outcome.messages.push({ level: 'error', text: `Layer ${name} is not public: ${reason}` })
    outcome.isFailed = true
  }
}

async function whyNotPublic(client: RestClient, name: string): Promise<string | undefined> {
  try {
    const response = await client.put(`/rest/layers/${encodeURIComponent(name)}`, { layer: { public: true } })
    const isPublic = readField(readField(response, 'layer'), 'public') === true
    return isPublic ? undefined : 'the server knows no public layers'
  } catch (error) {
    if (error instanceof RestError) return error.message
    throw error
  }
}
