// `node scripts/replay.ts <tree> [<other tree>]`: sends the same requests to a server of another source tree
// (a `git worktree` of an earlier commit, with its packages) and to one of this tree, and reports every
// difference in their responses.
import { dirname, resolve } from 'node:path'
import { replay } from './replay/replay.ts'

const [before, after = dirname(import.meta.dirname)] = process.argv.slice(2)
if (before === undefined) throw new Error('Name the source tree to compare with')
const count = await replay(resolve(before), resolve(after), (line) => console.log(line))
process.exitCode = count === 0 ? 0 : 1
