import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { manifestProblems } from './deploy-rules.ts'

const deploy = join(import.meta.dirname, '..', '..', 'deploy')

function read(path: string): string {
  return readFileSync(join(deploy, path), 'utf8')
}

describe('deploy/kubernetes', () => {
  const documents = parseAllDocuments(read('kubernetes/terrane.yaml')).map((one) => {
    assert.deepEqual(one.errors, [])
    return one.toJS() as object
  })

  it('runs every container without rights, with limits, and refers to what exists', () => {
    assert.equal(documents.length, 6)
    assert.deepEqual(manifestProblems(documents), [])
  })

  it('is reported if a container may write its root', () => {
    const text = JSON.stringify(documents).replaceAll(
      '"readOnlyRootFilesystem":true',
      '"readOnlyRootFilesystem":false',
    )
    const problems = manifestProblems(JSON.parse(text) as object[])
    assert.deepEqual(problems, ['terrane: the root is writable', 'terrane: the root is writable'])
  })
})

it('deploy/container/compose.yaml declares each secret and volume that a service uses', () => {
  const compose = parse(read('container/compose.yaml')) as {
    services: Record<string, { secrets?: string[]; volumes?: string[]; read_only?: boolean }>
    secrets: object
    volumes: object
  }
  for (const [name, service] of Object.entries(compose.services)) {
    for (const secret of service.secrets ?? []) assert.ok(secret in compose.secrets, `${name}: ${secret}`)
    for (const volume of service.volumes ?? [])
      assert.ok((volume.split(':')[0] ?? '') in compose.volumes, `${name}: ${volume}`)
  }
  assert.equal(compose.services['terrane']?.read_only, true)
})
