import type { Call } from '../api/client.ts'
import { Icon } from '../components/icon.tsx'
import { accessTexts } from '../messages/access/texts.ts'
import { type Access, actionNames, type Permission, scopeName, subjectName } from './permissions.ts'

/** Without `user`: for the caller; empty: for anonymous callers. */
export function explainCall(resource: string, user?: string): Call {
  return { path: '/rest/security/access', query: { resource, user } }
}

interface Props {
  access: Access
  /** Permissions that may have decided. */
  permissions: readonly Permission[]
}

/** The decision for each action, with the rule that decided. */
export function Explanation({ access, permissions }: Props) {
  const texts = accessTexts.value
  return (
    <div class="stack s2" role="status">
      <b dir="auto">{personOf(access)}</b>
      <section class="scroll" aria-label={texts.explainTitle}>
        <table class="rowcards decisions">
          <thead>
            <tr>
              <th>{texts.action}</th>
              <th>{texts.decision}</th>
              <th>{texts.why}</th>
            </tr>
          </thead>
          <tbody>
            {access.decisions.map((one) => (
              <tr key={one.action}>
                <td>{texts.kinds[one.action]}</td>
                <td data-l={texts.decision}>
                  <span class={`st ${one.allowed ? 'ok' : 'off'}`}>
                    <Icon name={one.allowed ? 'ok' : 'ban'} />
                    {one.allowed ? texts.yes : texts.no}
                  </span>
                </td>
                <td data-l={texts.why} dir="auto">
                  {reasonFor(one, access, permissions)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function personOf({ user, role, groups }: Access): string {
  const texts = accessTexts.value
  if (user === null) return texts.anonymous
  if (role === 'anonymous') return texts.switchedOff(user)
  return texts.person(user, role, groups.join(', '))
}

function reasonFor(
  decision: Access['decisions'][number],
  { role, resource }: Access,
  permissions: readonly Permission[],
): string {
  const { reasons } = accessTexts.value
  const { rule } = decision
  if (rule === 'role') return reasons.role(role)
  if (rule !== 'permission') return reasons[rule]
  const found = permissions.find(({ id }) => id === decision.permission)
  if (found === undefined) return decision.reason
  const where = scopeName(found.resource, resource)
  return reasons.permission(subjectName(found.subject), where, actionNames(found.actions))
}
