-- A small permission store as macOS 14 keeps it; made up.
CREATE TABLE access (
  service TEXT NOT NULL, client TEXT NOT NULL, client_type INTEGER NOT NULL,
  auth_value INTEGER NOT NULL, auth_reason INTEGER NOT NULL, auth_version INTEGER NOT NULL,
  csreq BLOB, policy_id INTEGER, indirect_object_identifier_type INTEGER,
  indirect_object_identifier TEXT NOT NULL DEFAULT 'UNUSED', indirect_object_code_identity BLOB,
  flags INTEGER, last_modified INTEGER NOT NULL, pid INTEGER, pid_version INTEGER,
  boot_uuid TEXT NOT NULL DEFAULT 'UNUSED', last_reminded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (service, client, client_type, indirect_object_identifier));
INSERT INTO access(service,client,client_type,auth_value,auth_reason,auth_version,last_modified) VALUES
  ('kTCCServiceCamera','org.example.receipts',0,2,2,1,1789198805),
  ('kTCCServiceMicrophone','org.example.receipts',0,0,3,1,1789198900),
  ('kTCCServiceScreenCapture','/opt/example tools/recorder',1,2,4,1,1789199000);
