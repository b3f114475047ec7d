import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { CopyAsCurl } from '../components/copy-as-curl.tsx'
import { Icon } from '../components/icon.tsx'
import { Failed, Loading, Refused } from '../components/states.tsx'
import { say } from '../components/toasts.tsx'
import { useActing } from '../components/use-acting.ts'
import { Resource } from '../lib/resource.ts'
import { accessTexts } from '../messages/access/texts.ts'
import { AddPermission } from './add-permission.tsx'
import { PermissionTable } from './permission-table.tsx'
import {
  findPermissions,
  listCall,
  type Permission,
  permissionsPath,
  scopesOf,
  subjectName,
} from './permissions.ts'
import { SeeAsForm } from './see-as-form.tsx'
import { Why } from './why.tsx'

interface Props {
  /** `*`, `<workspace>` or `<workspace>:<layer>`. */
  resource: string
  /** True if everyone may read it without a permission. */
  isPublic: boolean
}

/** The permissions that apply to a resource: listed, added, removed, and explained for a user. For administrators. */
export function WhoCan({ resource, isPublic }: Props) {
  const texts = accessTexts.value
  const known = useMemo(() => new Resource((signal) => findPermissions(resource, signal)), [resource])
  useEffect(() => {
    void known.load()
    return () => known.stop()
  }, [known])
  const [form, setForm] = useState<'add' | 'why' | 'see'>()
  const buttons = useRef<HTMLDivElement>(null)
  // A form that closes gives the focus back.
  const closeForm = (): void => {
    setForm(undefined)
    requestAnimationFrame(() => buttons.current?.querySelector('button')?.focus())
  }
  const { error: refusal, act } = useActing()
  const { value, error } = known.state.value
  const remove = async ({ id, subject }: Permission): Promise<void> => {
    const isDone = await act(async () => {
      await call({ method: 'DELETE', path: `${permissionsPath}/${id}` })
      await known.load()
    })
    if (isDone) say(texts.removed(subjectName(subject)))
  }
  if (value === undefined)
    return error === undefined ? <Loading /> : <Failed error={error} onAgain={() => void known.load()} />
  return (
    <div class="stack s3 who-can">
      {error !== undefined && <Failed error={error} onAgain={() => void known.load()} />}
      <p class="dim small">{texts.lead}</p>
      <PermissionTable resource={resource} isPublic={isPublic} known={value} onRemove={remove} />
      <Refused error={refusal.value} />
      {form === undefined && (
        <div ref={buttons} class="row wrap">
          <button type="button" class="btn" onClick={() => setForm('add')}>
            <Icon name="plus" />
            {texts.add}
          </button>
          <button type="button" class="btn" onClick={() => setForm('why')}>
            <Icon name="info" />
            {texts.explain}
          </button>
          <button type="button" class="btn" onClick={() => setForm('see')}>
            <Icon name="eye" />
            {texts.seeAs}
          </button>
          <CopyAsCurl call={() => scopesOf(resource).map(listCall)} />
        </div>
      )}
      {form === 'add' && (
        <AddPermission resource={resource} onDone={closeForm} onAdded={() => known.load()} />
      )}
      {form === 'see' && <SeeAsForm resource={resource} onDone={closeForm} />}
      {form === 'why' && <Why resource={resource} permissions={value.permissions} onDone={closeForm} />}
    </div>
  )
}
