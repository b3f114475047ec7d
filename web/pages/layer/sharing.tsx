import { WhoCan } from '../../access/who-can.tsx'
import { OwnRights } from '../../access/why.tsx'
import { call } from '../../api/client.ts'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Refused } from '../../components/states.tsx'
import { say } from '../../components/toasts.tsx'
import { useActing } from '../../components/use-acting.ts'
import { accessTexts } from '../../messages/access/texts.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { isStaff, session } from '../../session/session.ts'
import { changeCall, type Entry, type Layer, type LayerReply } from './types.ts'

interface SharingProps {
  id: string
  layer: Layer
  entry: Entry | undefined
  onChanged(): void
}

const choices = ['workspace', true, false] as const

/** Access to the layer, with an explanation. */
export function Sharing({ id, layer, entry, onChanged }: SharingProps) {
  const texts = layerTexts.value
  const { isBusy, error, act } = useActing()
  const now = layer.public ?? 'workspace'
  const isOpen = entry?.public ?? layer.public
  const choose = async (requested: (typeof choices)[number]): Promise<void> => {
    await act(async () => {
      const { layer: changed } = await call<LayerReply>(changeCall(id, { public: requested }))
      if (changed.copiesLiveSeconds !== undefined) say(texts.copiesLive(changed.copiesLiveSeconds))
      onChanged()
    })
  }
  return (
    <section class="panel" aria-label={texts.sharing}>
      <header>
        <h2>{texts.sharing}</h2>
        {isStaff.value && <CopyAsCurl call={() => changeCall(id, { public: isOpen !== true })} />}
      </header>
      <div class="body stack s2">
        <p class={`st ${isOpen === true ? 'ok' : ''}`}>
          <Icon name={isOpen === true ? 'globe' : 'lock'} />
          <b>{isOpen === true ? texts.isPublic : texts.isNotPublic}</b>
        </p>
        <p class="dim small">{isOpen === true ? texts.publicMeans : texts.notPublicMeans}</p>
        {isStaff.value && (
          <fieldset class="seg" aria-label={texts.sharing} disabled={isBusy.value}>
            {choices.map((choice) => (
              <button
                key={String(choice)}
                type="button"
                aria-pressed={choice === now}
                onClick={() => void choose(choice)}
              >
                {choice === 'workspace' ? texts.asWorkspace : choice ? texts.everyone : texts.usersOnly}
              </button>
            ))}
          </fieldset>
        )}
        {now === 'workspace' && (
          <p class="dim small" dir="auto">
            {texts.workspaceSays(layer.workspace.name)}
          </p>
        )}
        <Refused error={error.value} />
      </div>
      {session.value && (
        <div class="body stack s2 who-part">
          <h3>{accessTexts.value.title}</h3>
          <LayerAccess resource={`${layer.workspace.name}:${layer.name}`} isPublic={isOpen === true} />
        </div>
      )}
    </section>
  )
}

function LayerAccess({ resource, isPublic }: { resource: string; isPublic: boolean }) {
  return session.value?.role === 'admin' ? (
    <WhoCan resource={resource} isPublic={isPublic} />
  ) : (
    <OwnRights resource={resource} />
  )
}
