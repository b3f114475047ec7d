import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { startOddFtp } from '../../support/odd-ftp.ts'
import { importRemote, startFetcher, statesOf } from '../../support/remote-client.ts'
import { fetchInto, isFailure } from '../../support/remote-fetch.ts'
import {
  makeAccount,
  makeCertificate,
  noAccounts,
  openFolder,
  startVsftpd,
} from '../../support/remote-servers.ts'

async function accountWithData(test: TestContext) {
  const account = await makeAccount(test)
  cpSync('tests/fixtures/shapefile', join(account.folder, 'my data'), { recursive: true })
  execFileSync('chown', ['-R', account.name, account.folder])
  const { name: username, password } = account
  return { username, password }
}

describe('remote data from vsftpd', { skip: noAccounts ?? false }, () => {
  it('are a shapefile with its sidecars, or a whole folder', async (test) => {
    const client = await startFetcher(test)
    const user = await accountWithData(test)
    const base = `ftp://127.0.0.1:${await startVsftpd(test, 'none')}`
    const one = await importRemote(client, { location: `${base}/my%20data/coutwildrnp.shp`, ...user })
    assert.deepEqual(statesOf(one), ['READY'])
    const all = await importRemote(client, { location: `${base}/my%20data/`, ...user })
    assert.equal(statesOf(all).length, 5)
    const none = await importRemote(client, { location: `${base}/none.zip`, ...user })
    assert.match(String(none.message), /none\.zip could not be fetched: 550/)
  })

  it('need the right password', async (test) => {
    const client = await startFetcher(test)
    const user = await accountWithData(test)
    const base = `ftp://127.0.0.1:${await startVsftpd(test, 'none')}`
    const wrong = await importRemote(client, { location: `${base}/x.zip`, ...user, password: 'guess' })
    assert.equal(wrong.state, 'INIT_ERROR')
    assert.match(String(wrong.message), /530 Login incorrect/)
  })

  it('come by TLS that is asked for after the greeting, and from the start on port 990', async (test) => {
    const certificate = makeCertificate(openFolder(test))
    const client = await startFetcher(test, { TERRANE_REMOTE_CA: certificate.certificate })
    const user = await accountWithData(test)
    const port = await startVsftpd(test, 'explicit', certificate)
    await startVsftpd(test, 'implicit', certificate)
    for (const host of [`127.0.0.1:${port}`, `127.0.0.9:990`]) {
      const location = `ftps://${host}/my%20data/utf.shp`
      const { state, message } = await importRemote(client, { location, ...user })
      assert.equal(state, 'PENDING', String(message))
    }
    const plain = await importRemote(client, { location: `ftp://127.0.0.1:${port}/x`, ...user })
    assert.match(String(plain.message), /encryption/)
    const strict = await startFetcher(test)
    const refused = await importRemote(strict, { location: `ftps://127.0.0.1:${port}/x`, ...user })
    assert.match(String(refused.message), /self-signed/)
  })
})

const text = 'abcdefghij'.repeat(2000)

describe('an FTP transfer', () => {
  it('that breaks off goes on where it broke', async (test) => {
    const { port, heard } = await startOddFtp(test, {
      sizeBytes: text.length,
      send: (start, count) => text.slice(start, count === 1 ? 7000 : undefined),
    })
    assert.equal((await fetchInto(test, `ftp://127.0.0.1:${port}/a.csv`)).text, text)
    assert.deepEqual(
      heard.filter((line) => /^(REST|RETR)/.test(line)),
      ['RETR a.csv', 'REST 7000', 'RETR a.csv'],
    )
  })

  it('that brings more than the file has is not believed', async (test) => {
    const { port, heard } = await startOddFtp(test, { sizeBytes: 100, send: () => text })
    const fetching = fetchInto(test, `ftp://127.0.0.1:${port}/a.csv`)
    await assert.rejects(fetching, isFailure('remote-failed', /20000 of 100 bytes came/))
    assert.ok(heard.filter((line) => line.startsWith('RETR')).length <= 4)
  })

  it('is refused where the server sends it to this server itself', async (test) => {
    let ownPort = 0
    const { port, dataPort } = await startOddFtp(test, { sizeBytes: 1, send: () => 'x' })
    ownPort = dataPort
    await assert.rejects(
      fetchInto(test, `ftp://127.0.0.1:${port}/a.csv`, { ownPort: () => ownPort }),
      isFailure('remote-address-refused', /this server itself/),
    )
  })

  for (const name of ['/etc/evil.csv', 'a\\..\\..\\evil.csv', 'C:evil.csv']) {
    it(`of a folder is refused where a file is called ${name}`, async (test) => {
      const list = `-rw-r--r--   1 a  b   5 Jan 01 2024 ${name}\r\n`
      const { port } = await startOddFtp(test, { sizeBytes: 5, send: () => list })
      await assert.rejects(
        fetchInto(test, `ftp://127.0.0.1:${port}/folder/`),
        isFailure('invalid-file-name', /rejected file ".*evil\.csv"/),
      )
    })
  }

  it('is refused where the server names another host for the data', async (test) => {
    const { port } = await startOddFtp(test, { sizeBytes: 1, send: () => text, passiveHost: '10.0.0.1' })
    await assert.rejects(
      fetchInto(test, `ftp://127.0.0.1:${port}/a.csv`),
      isFailure('remote-failed', /another host/),
    )
  })
})
