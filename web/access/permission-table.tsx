import type { ComponentChildren } from 'preact'
import { Icon } from '../components/icon.tsx'
import { addressOf } from '../lib/base.ts'
import { accessTexts } from '../messages/access/texts.ts'
import {
  type Action,
  type KnownPermissions,
  type Permission,
  type Subject,
  scopeName,
  subjectName,
} from './permissions.ts'

interface Props {
  resource: string
  isPublic: boolean
  known: KnownPermissions
  onRemove(permission: Permission): void
}

/** Rights by role and by `public`, then the permissions; those of a wider scope are changed at that scope. */
export function PermissionTable({ resource, isPublic, known, onRemove }: Props) {
  const texts = accessTexts.value
  const { permissions, roles } = known
  return (
    <section class="scroll" aria-label={texts.list}>
      <table class="rowcards">
        <thead>
          <tr>
            <th>{texts.who}</th>
            <th>{texts.may}</th>
            <th>{texts.where}</th>
            <th>
              <span class="vh">{texts.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {isPublic && (
            <Row icon="globe" who={texts.everyone} given={['read', 'download']}>
              {texts.byPublic}
            </Row>
          )}
          {(['admin', 'staff', 'user'] as const).map(
            (role) =>
              roles[role].length > 0 && (
                <Row key={role} icon="lock" who={texts.role(role)} given={roles[role]}>
                  {texts.byRole}
                </Row>
              ),
          )}
          {permissions.map((one) => (
            <Row
              key={one.id}
              icon={iconOf(one.subject)}
              who={subjectName(one.subject)}
              given={one.actions}
              onRemove={one.resource === resource ? () => onRemove(one) : undefined}
            >
              <Scope scope={one.resource} resource={resource} />
            </Row>
          ))}
        </tbody>
      </table>
      {permissions.length === 0 && <p class="dim small none">{texts.none}</p>}
    </section>
  )
}

function iconOf({ user, group, everyone }: Subject): string {
  if (user !== undefined) return 'user'
  return group === undefined && everyone === true ? 'globe' : 'users'
}

interface RowProps {
  icon: string
  who: string
  given: readonly Action[]
  children: ComponentChildren
  onRemove?: (() => void) | undefined
}

function Row({ icon, who, given, children, onRemove }: RowProps) {
  const texts = accessTexts.value
  // `manage` includes all others.
  const shown = given.includes('manage') ? (['manage'] as const) : given
  return (
    <tr>
      <td>
        <span class="subject">
          <Icon name={icon} />
          <span dir="auto">{who}</span>
        </span>
      </td>
      <td data-l={texts.may}>
        {shown.map((action) => (
          <span key={action} class={`tag${action === 'manage' ? ' acc' : ''}`} title={texts.means[action]}>
            {texts.kinds[action]}
          </span>
        ))}
      </td>
      <td data-l={texts.where}>{children}</td>
      <td class="num acts-cell">
        {onRemove !== undefined && (
          <button type="button" class="btn sm ic danger" aria-label={texts.remove(who)} onClick={onRemove}>
            <Icon name="trash" />
          </button>
        )}
      </td>
    </tr>
  )
}

function Scope({ scope, resource }: { scope: string; resource: string }) {
  const text = scopeName(scope, resource)
  if (scope === resource) return <span>{text}</span>
  return (
    <a dir="auto" href={addressOf(`/app/workspaces?access=${encodeURIComponent(scope)}`)}>
      {text}
    </a>
  )
}
