import { describe, expect, it } from "vitest";
import { allowAccess } from "../../src/admin/access.ts";
import { actOf } from "../../src/admin/authenticate.ts";
import type { Principal } from "../../src/admin/context.ts";

const setup: Principal = { kind: "setup" };
const operator = { kind: "personal", tenantId: "t1", staffId: "s1", role: "operator" } as const;
const admin = { ...operator, role: "admin" } as const;

describe("who may do what", () => {
  it.each([
    ["ADMIN_TOKEN", setup, "setup", ["read", "export", "change"]],
    ["ADMIN_TOKEN", setup, "open", ["read", "export"]],
    ["an operator", operator, "setup", ["read", "decide"]],
    ["an operator", operator, "open", ["read", "decide"]],
    ["an admin", admin, "setup", ["read", "export", "change", "decide"]],
    ["an admin", admin, "open", ["read", "export", "change", "decide"]],
    ["another tenant's admin", { ...admin, tenantId: "t2" }, "setup", []],
    ["another tenant's admin", { ...admin, tenantId: "t2" }, "open", []],
  ] as const)("%s (%o) in a tenant that is in state %s: %o", (_who, principal, state, allowed) => {
    const may = (["read", "export", "change", "decide"] as const).filter((act) => {
      try {
        allowAccess({ principal, tenant: { id: "t1", state }, act });
        return true;
      } catch {
        return false;
      }
    });
    expect(may).toEqual(allowed);
  });

  it.each([
    ["GET", "/api/admin/exchange/rates", "read"],
    ["HEAD", "/api/admin/staff", "read"],
    ["GET", "/api/admin/quality/tool-call-feedback/export.jsonl", "export"],
    ["HEAD", "/api/admin/quality/tool-call-regression-cases/export.jsonl", "export"],
    ["GET", "/api/admin/quality/tool-call-regression-cases", "read"],
    ["POST", "/api/admin/approvals/A-17/decision", "decide"],
    ["POST", "/api/admin/approvals/A-17/decision/x", "change"],
    ["DELETE", "/api/admin/tools/booking", "change"],
    ["PUT", "/api/admin/policies", "change"],
    ["POST", "/api/admin/policies/simulate", "read"],
    ["POST", "/api/admin/policies/simulate/x", "change"],
    ["POST", "/api/admin/quality/tool-calls/7/feedback", "decide"],
    ["POST", "/api/admin/quality/proposals/7/dismiss", "change"],
    ["POST", "/api/admin/quality/proposals/7/case", "change"],
    ["POST", "/api/admin/quality/tool-call-regression-cases/REG-7/archive", "change"],
  ])("%s %s is to %s", (method, path, act) => {
    expect(actOf(method, path)).toBe(act);
  });
});
