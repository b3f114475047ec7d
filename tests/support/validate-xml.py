# Validates documents by XML schemas: argv[1] is the folder of the schemas, standard input a list of {path, schemas} as JSON, where
# schemas are files by namespaces beside those that the document names itself. Answers a list of lists of faults.
import json
import os
import re
import sys
from lxml import etree

root = sys.argv[1]
location = '{http://www.w3.org/2001/XMLSchema-instance}schemaLocation'
places = (
    ('schemas.opengis.net/', 'ogc/'), ('www.opengis.net/', 'ogc/'), ('www.w3.org/', 'w3c/'),
    ('standards.iso.org/ittf/PubliclyAvailableStandards/ISO_19139_Schemas/', 'ogc/iso/19139/20070417/'),
)


def local(address):
    """The file of an address; what is a path stays one."""
    plain = re.sub(r'^https?://', '', address)
    for place, folder in places:
        if plain != address and plain.startswith(place):
            return os.path.join(root, folder + plain[len(place):])
    return address


def localize():
    """A file that is included under two names would be declared twice: all are included by their paths."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding='utf-8-sig') as file:
                text = file.read()

            def written(found):
                target = local(found[2].strip())
                return found[1] + (target if os.path.isabs(target) else os.path.normpath(os.path.join(folder, target))) + found[3]

            changed = re.sub(r'(schemaLocation\s*=\s*["\'])([^"\'\s]+)(["\'])', written, text)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(re.sub(r'^(<\?xml[^>]*?) encoding=["\'][^"\']*["\']', r'\1', changed))


known = {}


def schema_of(pairs):
    key = json.dumps(sorted(pairs.items()))
    if key not in known:
        imports = ''.join('<xs:import namespace="%s" schemaLocation="%s"/>' % (name, local(path)) for name, path in sorted(pairs.items()))
        text = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">' + imports + '</xs:schema>'
        known[key] = etree.XMLSchema(etree.fromstring(text, etree.XMLParser(no_network=True)))
    return known[key]


def faults_of(wish):
    document = etree.parse(wish['path'], etree.XMLParser(no_network=True))
    pairs = {}
    for element in document.iter(etree.Element):
        words = (element.get(location) or '').split()
        pairs.update(zip(words[::2], words[1::2]))
    pairs.update(wish['schemas'])
    schema = schema_of(pairs)
    schema.validate(document)
    return ['%d: %s' % (error.line, error.message) for error in schema.error_log][:20]


localize()
print(json.dumps([faults_of(wish) for wish in json.load(sys.stdin)]))
