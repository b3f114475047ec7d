import { useEffect, useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { Field } from '../../components/field.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Resource } from '../../lib/resource.ts'
import { accountTexts } from '../../messages/account/texts.ts'

type Token = Calls['GET /rest/security/tokens']['answer']['tokens'][number]

/** Choices for the rights of a token; `layers` is for tokens in addresses, which only read some layers. */
const kinds = ['all', 'read', 'import', 'manage', 'layers'] as const
type TokenLimit = (typeof kinds)[number]

const workspaces = new Resource(async (signal) => {
  type Reply = Calls['GET /rest/workspaces']['answer']
  const reply = await call<Reply>({ path: '/rest/workspaces' }, signal)
  return reply.workspaces.workspace.map(({ name }) => name)
})

/** Fields for the limits of a new token. */
export function TokenLimits() {
  const texts = accountTexts.value
  const [kind, setKind] = useState<TokenLimit>('all')
  useEffect(() => void workspaces.load(), [])
  const names = workspaces.value ?? []
  return (
    <div class="g3">
      <SelectField
        name="scope"
        label={texts.may}
        options={kinds.map((value) => ({ value, text: texts.scopes[value] }))}
        value={kind}
        onChange={(value) => setKind(kinds.find((one) => one === value) ?? 'all')}
      />
      {kind === 'layers' ? (
        <Field label={texts.layers} hint={texts.layersHint} name="layers" required maxLength={4000} />
      ) : (
        <SelectField
          name="workspace"
          label={texts.workspace}
          options={[
            { value: '', text: texts.allWorkspaces },
            ...names.map((name) => ({ value: name, text: name })),
          ]}
          value=""
        />
      )}
    </div>
  )
}

/** Returns the limits in a form, as the endpoint takes them. */
export function limitsOf(data: FormData): Pick<Token, 'scopes' | 'workspace' | 'layers'> {
  const scope = data.get('scope')
  if (scope === 'layers') {
    const layers = String(data.get('layers')).split(/[\s,]+/)
    return { layers: layers.filter((one) => one !== '') }
  }
  const workspace = String(data.get('workspace') ?? '')
  const known = scope === 'read' || scope === 'import' || scope === 'manage' ? scope : undefined
  return {
    scopes: known === undefined ? undefined : [known],
    workspace: workspace === '' ? undefined : workspace,
  }
}

/** Returns what a token may do as text. */
export function limitsText({ scopes, workspace, layers }: Token): string {
  const texts = accountTexts.value
  if (layers !== undefined) return texts.onlyLayers(layers.join(', '))
  const what = scopes === undefined ? texts.scopes.all : scopes.map((one) => texts.scopes[one]).join(', ')
  return workspace === undefined ? what : texts.onlyIn(what, workspace)
}
