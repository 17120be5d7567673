//! What administrators do with the users of the environment beside changing them (administration, section 2).

use svc_model::{
    ListQuery, UserUid,
    administration::users::{
        Create, DeleteSession, Get, Invite, List, ListSessions, NewUser, Resume, Suspend,
    },
};

use super::Users;
use crate::Call;

impl Users {
    /// Lists the users with how it stands with each: `GET {app_base_url}/projects/{project}/{environment}/users/`.
    pub fn list(&self) -> Call<List> {
        self.client
            .call(List::new(self.client.scope(), ListQuery::new()))
    }

    /// Adds a user, with a password or invited by mail: `POST {app_base_url}/projects/{project}/{environment}/users/`.
    pub fn create(&self, new_user: NewUser) -> Call<Create> {
        self.client.call(Create::new(self.client.scope(), new_user))
    }

    /// Gets whether a user is suspended and has a password:
    /// `GET {app_base_url}/projects/{project}/{environment}/users/{uid}/`.
    pub fn get(&self, uid: impl Into<UserUid>) -> Call<Get> {
        self.client.call(Get::new(self.client.scope(), uid))
    }

    /// Lists the sessions of a user: `GET {app_base_url}/projects/{project}/{environment}/users/{uid}/sessions/`.
    pub fn list_sessions(&self, uid: impl Into<UserUid>) -> Call<ListSessions> {
        self.client.call(ListSessions::new(
            self.client.scope(),
            uid,
            ListQuery::new(),
        ))
    }

    /// Ends a session of a user:
    /// `DELETE {app_base_url}/projects/{project}/{environment}/users/{uid}/sessions/{session}/`.
    pub fn delete_session(
        &self,
        uid: impl Into<UserUid>,
        session: impl Into<String>,
    ) -> Call<DeleteSession> {
        self.client
            .call(DeleteSession::new(self.client.scope(), uid, session))
    }

    /// Suspends a user, whose sessions end:
    /// `POST {app_base_url}/projects/{project}/{environment}/users/{uid}/suspend/`.
    pub fn suspend(&self, uid: impl Into<UserUid>) -> Call<Suspend> {
        self.client.call(Suspend::new(self.client.scope(), uid))
    }

    /// Lets a suspended user sign in again: `POST {app_base_url}/projects/{project}/{environment}/users/{uid}/resume/`.
    pub fn resume(&self, uid: impl Into<UserUid>) -> Call<Resume> {
        self.client.call(Resume::new(self.client.scope(), uid))
    }

    /// Mails an invitation again: `POST {app_base_url}/projects/{project}/{environment}/users/{uid}/invite/`.
    pub fn invite(&self, uid: impl Into<UserUid>) -> Call<Invite> {
        self.client.call(Invite::new(self.client.scope(), uid))
    }
}
