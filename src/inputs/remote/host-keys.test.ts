import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { temporaryFiles } from '../../../tests/support/temporary-files.ts'
import { createHostKeys } from './host-keys.ts'

const file = temporaryFiles()
const keyOf = (kind: string, content: string): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(kind.length)
  return Buffer.concat([head, Buffer.from(kind), Buffer.from(content)])
}
const first = keyOf('ssh-ed25519', 'first')
const second = keyOf('ssh-ed25519', 'second')

describe('host keys', () => {
  it('are taken at first sight, written down, and held to', () => {
    const path = `${file('a', '')}-new`
    const keys = createHostKeys(path, false)
    keys.verify('Host.example', 2222, first)
    keys.verify('host.example', 2222, first)
    assert.equal(readFileSync(path, 'utf8'), `[host.example]:2222 ssh-ed25519 ${first.toString('base64')}\n`)
    assert.equal(statSync(path).mode & 0o77, 0)
    assert.deepEqual(keys.kindsOf('host.example', 2222), ['ssh-ed25519'])
    assert.throws(
      () => keys.verify('host.example', 2222, second),
      /differs from the key in .*-new: remove that line/,
    )
    keys.verify('host.example', 22, second)
  })

  it('of hosts that are not in the file are refused where only known ones are taken', () => {
    const path = file('b', `# ours\nhost.example,10.0.0.1 ssh-ed25519 ${first.toString('base64')} comment\n`)
    const keys = createHostKeys(path, true)
    keys.verify('host.example', 22, first)
    keys.verify('10.0.0.1', 22, first)
    assert.throws(() => keys.verify('other.example', 22, first), /TERRANE_SFTP_STRICT/)
  })

  it('are found under hashed names, as ssh-keygen -H writes them', () => {
    const path = file('c', `host.example ssh-ed25519 ${first.toString('base64')}\n`)
    execFileSync('ssh-keygen', ['-H', '-f', path], { stdio: 'ignore' })
    assert.ok(!readFileSync(path, 'utf8').includes('host.example'))
    assert.throws(
      () => createHostKeys(path, false).verify('host.example', 22, second),
      /differs from the key in/,
    )
  })

  it('are read from a file with damaged lines', () => {
    const path = file('d', 'host.example\n\n|1|x host.example\n@revoked host.example ssh-ed25519 x\n')
    writeFileSync(path, readFileSync(path, 'utf8'))
    assert.throws(
      () => createHostKeys(path, false).verify('host.example', 22, first),
      /differs from the key in/,
    )
  })
})
