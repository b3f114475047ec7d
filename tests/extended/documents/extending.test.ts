import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { runTool } from '../../../scripts/check/run-tool.ts'
import { addExample, copyTree, readGuides } from '../../support/extending.ts'
import { temporaryFolder } from '../../support/temporary-files.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'extending')

/**
 * Returns a program that ends with a message for each rule that the tree breaks: types, order of packages, extension points
 * and others. The pages are checked only if an example changes them.
 */
const checkOf = (files: readonly string[]): string => `
  import { staticSteps } from './scripts/check/steps.ts'
  const skipped = ['format and lint', 'unused files, exports and packages', 'pages made from the sources']
  if (${!files.some((name) => name.startsWith('web/'))}) skipped.push('types of the pages')
  const steps = staticSteps(process.cwd()).filter(({ name }) => !skipped.includes(name))
  const problems = await Promise.all(steps.map((step) => step.run()))
  process.stdout.write(problems.join(''))`

describe('docs/extending', () => {
  it('has a page for each example, and names each page in its README', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    const pages = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')
    assert.deepEqual(
      pages.map((name) => name.replace('.md', '')),
      readGuides().map(({ kind }) => kind),
    )
    for (const page of pages) assert.ok(readme.includes(`](${page})`), `README.md does not lead to ${page}`)
  })

  it('has examples that pass check and seams in a tree that has them all', async (t) => {
    const tree = temporaryFolder(t)
    copyTree(tree)
    const guides = readGuides()
    const files = guides.flatMap((guide) => addExample(tree, guide)).filter((name) => name.endsWith('.ts'))
    const words = guides.flatMap(({ tests }) => tests)
    const isOption = (word: string): boolean => word.startsWith('-')
    const results = await Promise.all([
      runTool(tree, process.execPath, ['--input-type=module-typescript', '--eval', checkOf(files)]),
      runTool(tree, join('node_modules', '.bin', 'biome'), [
        'check',
        '--vcs-enabled=false',
        '--diagnostic-level=warn',
        '--error-on-warnings',
        ...new Set(files),
      ]),
      runTool(tree, 'env', [
        '--unset=NODE_TEST_CONTEXT',
        process.execPath,
        '--test',
        '--test-reporter=spec',
        ...new Set(words.filter(isOption)),
        ...new Set(words.filter((word) => !isOption(word))),
      ]),
    ])
    const [rules, style, extensionPoints] = results
    assert.equal(rules.output + rules.complained, '')
    assert.equal(style.code, 0, style.output + style.complained)
    assert.equal(extensionPoints.code, 0, extensionPoints.output + extensionPoints.complained)
    for (const pattern of words.flatMap((word) => /^--test-name-pattern=(.+)$/.exec(word)?.[1] ?? [])) {
      assert.match(extensionPoints.output, new RegExp(pattern), 'no such test ran')
    }
  })
})
