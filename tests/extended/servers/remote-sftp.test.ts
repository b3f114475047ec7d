import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { startCuttingProxy } from '../../support/cutting-proxy.ts'
import { importRemote, startFetcher, statesOf } from '../../support/remote-client.ts'
import { fetchInto } from '../../support/remote-fetch.ts'
import { makeAccount, noAccounts, startSshd } from '../../support/remote-servers.ts'

async function accountWithData(test: TestContext) {
  const { name: username, password, folder } = await makeAccount(test)
  cpSync('tests/fixtures/shapefile', join(folder, 'my data'), { recursive: true })
  execFileSync('chown', ['-R', username, folder])
  return { user: { username, password }, folder }
}

describe('remote data from OpenSSH', { skip: noAccounts ?? false }, () => {
  it('are a shapefile with its sidecars, or a whole folder', async (test) => {
    const client = await startFetcher(test)
    const { user, folder } = await accountWithData(test)
    const base = `sftp://127.0.0.1:${await startSshd(test)}`
    const one = await importRemote(client, { location: `${base}/~/my%20data/coutwildrnp.shp`, ...user })
    assert.deepEqual(statesOf(one), ['READY'])
    for (const path of [`${folder}/my%20data`, '/~/my%20data/']) {
      const all = await importRemote(client, { location: base + path, ...user })
      assert.equal(statesOf(all).length, 5, String(all.message))
    }
    const none = await importRemote(client, { location: `${base}/~/none.zip`, ...user })
    assert.match(String(none.message), /no such file/)
    const device = await importRemote(client, { location: `${base}/dev/zero`, ...user })
    assert.match(String(device.message), /it is not a file/)
  })

  it('need the right password, also in the location', async (test) => {
    const client = await startFetcher(test)
    const { user } = await accountWithData(test)
    const port = await startSshd(test)
    const name = `${user.username}:${encodeURIComponent(user.password)}`
    const right = await importRemote(client, {
      location: `sftp://${name}@127.0.0.1:${port}/~/my%20data/utf.shp`,
    })
    assert.equal(right.state, 'PENDING', String(right.message))
    assert.equal(right.data?.location, `sftp://127.0.0.1:${port}/~/my%20data/utf.shp`)
    const wrong = await importRemote(client, {
      location: `sftp://127.0.0.1:${port}/x`,
      ...user,
      password: 'guess',
    })
    assert.match(String(wrong.message), /rejects this username and password/)
  })

  it('come from a server whose key is new or known, not from one whose key has changed', async (test) => {
    const client = await startFetcher(test)
    const { user } = await accountWithData(test)
    const port = await startSshd(test)
    const location = `sftp://127.0.0.1:${port}/~/my%20data/utf.shp`
    for (const _time of ['new', 'known']) {
      assert.equal((await importRemote(client, { location, ...user })).state, 'PENDING')
    }
    const known = readFileSync(join(client.server.dataDir, 'known_hosts'), 'utf8')
    assert.match(known, new RegExp(`^\\[127\\.0\\.0\\.1\\]:${port} ssh-ed25519 \\S+\\n$`))
    const other = await startSshd(test)
    const knownHosts = join(client.server.dataDir, 'known_hosts')
    writeFileSync(knownHosts, known.replace(String(port), String(other)))
    const changed = await importRemote(client, {
      location: location.replace(String(port), String(other)),
      ...user,
    })
    assert.match(String(changed.message), /differs from the key in .*known_hosts: /)
    const strict = await startFetcher(test, { TERRANE_SFTP_STRICT: 'on' })
    const refused = await importRemote(strict, { location, ...user })
    assert.match(String(refused.message), /TERRANE_SFTP_STRICT/)
  })

  it('are gone on with where the connection broke', async (test) => {
    const { user, folder } = await accountWithData(test)
    const port = await startSshd(test)
    const proxy = await startCuttingProxy(test, port, { cuts: 2, afterBytes: 40_000 })
    const name = 'ne_110m_admin_1_states_provinces_shp.dbf'
    const address = `sftp://127.0.0.1:${proxy.port}${folder}/my%20data/${name}`
    const { text, reported } = await fetchInto(test, address, { credentials: user })
    assert.equal(text, readFileSync(join('tests/fixtures/shapefile', name), 'utf8'))
    assert.equal(proxy.connections(), 3)
    assert.ok(
      reported.every((bytes, index) => bytes > (reported[index - 1] ?? 0)),
      'it began anew',
    )
  })
})
