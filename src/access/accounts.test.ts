import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openDatabase } from '../core/db/connection.ts'
import { Secret } from '../core/secrets/secret.ts'
import { createVault } from '../core/secrets/vault.ts'
import { systemClock } from '../core/time/clock.ts'
import { Accounts } from './accounts.ts'

describe('the first user', () => {
  it('is waited for by who comes while it is being made', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'terrane-accounts-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const database = await openDatabase({ path: join(folder, 'terrane.sqlite') })
    t.after(() => database.close())
    const vault = createVault(new Uint8Array(32))
    const accounts = new Accounts({
      database,
      clock: systemClock,
      passwordCost: { logN: 12, r: 8, p: 1 },
      vault,
    })
    const given = { name: 'admin', password: 'first-password' }
    const making = accounts.ensureFirstUser(new Secret(given.password), () => undefined)
    const session = await accounts.logIn(given, { address: '127.0.0.1', agent: undefined })
    await making
    assert.ok(session.id.length > 0)
  })
})
