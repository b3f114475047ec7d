import assert from 'node:assert/strict'
import { runCommands } from './document-commands.ts'
import { documentedPage } from './map-pages.ts'
import type { TestServer } from './server.ts'
import { userAndPassword } from './server.ts'

export const readerPassword = 'reader-password'

/** Makes a reader and a token of theirs by the commands of the document, and gives the token. */
export async function makeToken(server: Pick<TestServer, 'url'>): Promise<string> {
  const commands = documentedPage('docs/maps.md > Layers that are not public > sh 1', server, [
    ['users create reader', `users create reader --url ${server.url}`],
  ])
  const { code, stdout, stderr } = await runCommands(commands, {
    NEW_PASSWORD: readerPassword,
    TERRANE_PASSWORD: userAndPassword.split(':')[1] ?? '',
  })
  assert.equal(code, 0, stdout + stderr)
  return /"value":"([^"]+)"/.exec(stdout)?.[1] ?? assert.fail(stdout)
}

/** Logs the reader in as a page does, and gives the session's cookie as `name=value`. */
export async function logIn(server: Pick<TestServer, 'url'>): Promise<string> {
  const reply = await fetch(`${server.url}/rest/security/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session: { name: 'reader', password: readerPassword } }),
  })
  assert.equal(reply.status, 200)
  return reply.headers.getSetCookie()[0]?.split(';')[0] ?? assert.fail('no cookie')
}
