import { join } from 'node:path'
import type { Accounts } from '../access/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { FieldFailure, invalid } from '../core/errors/errors.ts'
import { createVault } from '../core/secrets/vault.ts'
import type { Importer } from '../importer/index.ts'
import type { RemoteAccess } from '../inputs/index.ts'
import type { Notifications, Problem } from '../monitoring/index.ts'
import { type NamedProblem, type SourceAlerts, Sources } from '../sources/index.ts'
import type { AppBase } from './services.ts'

interface OpenSourcesDeps extends AppBase {
  accounts: Accounts
  catalog: Catalog
  importer: Importer
  remote: RemoteAccess
  checks: Notifications['checks']
}

/** Opens the sources, which work once they are started. */
export function openSources(deps: OpenSourcesDeps): Sources {
  const { settings, directory, database, events, clock, log, accounts, catalog, importer, remote } = deps
  return new Sources({
    database,
    catalog,
    importer,
    users: accounts.users,
    clock,
    events,
    log,
    vault: createVault(directory.key),
    obtaining: {
      remote,
      roots: settings.data.importRoots,
      limits: { maxEntries: settings.limits.maxArchiveEntries },
    },
    folder: join(directory.uploads, 'sources'),
    alerts: createAlerts(deps.checks),
  })
}

/** Each source has a check of its own, whose problems are those of the source. */
function createAlerts(checks: Notifications['checks']): SourceAlerts {
  return {
    save: async (checkId, { name, receivers }) => {
      const about = {
        name: `Source ${name}`,
        description: `Tells when source "${name}" fails, is stopped or is overdue`,
      }
      const isUrl = (text: string): boolean => /^https?:/i.test(text)
      const fields = { emails: receivers.filter((one) => !isUrl(one)), webhooks: receivers.filter(isUrl) }
      try {
        return await checks.saveReported(checkId, about, fields)
      } catch (error) {
        if (!(error instanceof FieldFailure)) throw error
        const reasons = Object.values(error.fields).flat().join(' ')
        throw invalid('invalid-receivers', `"receivers" takes mail addresses and webhook URLs. ${reasons}`)
      }
    },
    remove: (checkId) =>
      checks
        .remove(checkId, () => undefined)
        .catch((error: unknown) => {
          // Somebody may have deleted the check before.
          if (!(error instanceof Error && 'code' in error && error.code === 'unknown-check')) throw error
        }),
  }
}

const severities = { failed: 'error', never: 'error', stopped: 'error', overdue: 'warning' } as const

/** Returns the problems of sources, by the check of the source. */
export function reportedProblems(sources: Sources | undefined): ReadonlyMap<number, Problem[]> {
  const problems = sources?.problems() ?? []
  return new Map(
    problems.flatMap((one) =>
      one.source.checkId === undefined ? [] : [[one.source.checkId, [toProblem(one)]] as const],
    ),
  )
}

function toProblem({ kind, message, source }: NamedProblem): Problem {
  const time = Date.parse(source.updatedAt)
  return {
    definitionId: 0,
    metric: 'source.state',
    severity: severities[kind],
    message: `Source "${source.name}": ${kind === 'never' ? 'never succeeded' : kind}`,
    description: message,
    offendingValue: kind,
    thresholdValue: 'idle',
    validFrom: time,
    validTo: time,
  }
}
