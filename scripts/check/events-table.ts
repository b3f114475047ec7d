import { dirname } from 'node:path'
import type { SourceFile } from './imports.ts'
import { syntaxOf } from './syntax.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

/** Page with the table of events, which is between these lines. */
export const eventsPage = 'docs/processes.md'
const [begin, end] = ['<!-- events: npm run docs -->', '<!-- end of events -->']

interface Event {
  name: string
  means: string
  announcedBy: string[]
  heardBy: string[]
}

/** The page with the table of events as the sources have them. */
export function writeEventsTable(page: string, files: Text[]): string {
  const [before = '', rest = ''] = page.split(begin)
  const [, after = ''] = rest.split(end)
  const rows = findEvents(files).map(
    ({ name, means, announcedBy, heardBy }) =>
      `| \`${name}\` | ${means} | ${placesOf(announcedBy)} | ${placesOf(heardBy)} |`,
  )
  const table = ['| event | means | announced by | heard by |', '|---|---|---|---|', ...rows]
  return [before + begin, '', ...table, '', end + after].join('\n')
}

/** Returns one message for each event that nothing emits or that nothing listens to. */
export function eventProblems(files: Text[]): string[] {
  return findEvents(files).flatMap(({ name, announcedBy, heardBy }) => [
    ...(announcedBy.length > 0 ? [] : [`nobody announces the event ${name}`]),
    ...(heardBy.length > 0 ? [] : [`nobody listens to the event ${name}`]),
  ])
}

function findEvents(files: Text[]): Event[] {
  const contract = files.find(({ path }) => path === 'src/core/events/events.ts')
  if (contract === undefined) return []
  const program = files.filter(({ path }) => /^src\/.*(?<!\.test)\.ts$/.test(path) && path !== contract.path)
  return namesOf(contract).map(({ name, means }) => {
    const announced = new RegExp(`\\bemit\\('${name}'`)
    const announcedBy = program.filter(({ text }) => announced.test(text))
    const heardBy = program.filter(
      ({ text }) => text.replace(announced, '').includes(`'${name}'`) && text.includes('events.on('),
    )
    return { name, means, announcedBy: modulesOf(announcedBy), heardBy: modulesOf(heardBy) }
  })
}

/** The members of the contract with their comments. */
function namesOf(contract: Text): { name: string; means: string }[] {
  const { program, comments, text } = syntaxOf(contract)
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    const { declaration } = statement
    if (declaration?.type !== 'TSInterfaceDeclaration' || declaration.id.name !== 'Events') return []
    return declaration.body.body.flatMap((member) => {
      if (member.type !== 'TSPropertySignature' || member.key.type !== 'Literal') return []
      const comment = comments.findLast(({ end: last }) => last <= member.start)
      const isItsOwn = comment !== undefined && text.slice(comment.end, member.start).trim() === ''
      const means = isItsOwn ? comment.value.replace(/^\*|\n\s*\*/g, ' ').trim() : ''
      return [{ name: String(member.key.value), means: means.replace(/\.$/, '') }]
    })
  })
}

function modulesOf(files: Text[]): string[] {
  return [...new Set(files.map(({ path }) => dirname(path)))].sort()
}

function placesOf(modules: string[]): string {
  return modules.map((room) => `\`${room}/\``).join(', ')
}
